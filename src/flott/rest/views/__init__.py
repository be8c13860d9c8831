"""What the REST API says of a job: each view reads the driver's data and gives one shape."""
