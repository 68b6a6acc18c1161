"""The kinds of work of this domain that are not parts of a run."""

from app.domains.jobs import service as jobs

ERASE = jobs.register(
    jobs.Kind(name="extractions.erase", queue="housekeeping", deadline_seconds=3600, priority=20)
)
