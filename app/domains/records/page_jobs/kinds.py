"""The kinds of work of this domain; `refilling` has the one that runs are."""

from app.domains.queue.jobs import service as jobs

ERASE = jobs.register(
    jobs.Kind(name="extractions.erase", queue="housekeeping", deadline_seconds=3600, priority=20)
)
# Parts of a run: they have its deadline, and a message of their own, as each takes seconds.
PAGES = jobs.register(
    jobs.Kind(
        name="extractions.pages",
        queue="extraction",
        deadline_seconds=3600,
        priority=50,
        ids_per_message=1,
    )
)
RENDER = jobs.register(
    jobs.Kind(
        name="extractions.render",
        queue="rendering",
        deadline_seconds=3600,
        priority=50,
        ids_per_message=1,
    )
)
CONSENSUS = jobs.register(
    jobs.Kind(
        name="extractions.consensus",
        queue="extraction",
        deadline_seconds=3600,
        priority=45,
        ids_per_message=1,
    )
)
SAMPLE = jobs.register(
    jobs.Kind(
        name="extractions.sample",
        queue="extraction",
        deadline_seconds=3600,
        priority=50,
        ids_per_message=1,
    )
)
