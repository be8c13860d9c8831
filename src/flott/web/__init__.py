"""The web page of a job: plain files that the driver serves, without a build step and without the network."""
