"""An hour of steady mixed work, watched for whatever grows: `make soak`."""
