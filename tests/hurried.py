"""The worker with little patience, for tests that wait until it is at an end."""

from app.serving import worker

worker.READ_SECONDS = 1.0


class Hurried(worker.Patient):
    """Takes a second where the other takes ten."""
