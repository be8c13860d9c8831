"""What runs in the driver: the life of a job, epoch by epoch."""
