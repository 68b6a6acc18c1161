"""The kinds of work of this domain; `refilling` has the one that runs are."""

from app.domains.queue.jobs import kinds

ERASE = kinds.register(
    "extractions.erase", queue="housekeeping", deadline_seconds=3600, priority=20
)
# Parts of a run: they have its deadline, and a message of their own, as each takes seconds.
PAGES = kinds.register(
    "extractions.pages", queue="extraction", deadline_seconds=3600, ids_per_message=1
)
RENDER = kinds.register(
    "extractions.render", queue="rendering", deadline_seconds=3600, ids_per_message=1
)
CONSENSUS = kinds.register(
    "extractions.consensus",
    queue="extraction",
    deadline_seconds=3600,
    priority=45,
    ids_per_message=1,
)
SAMPLE = kinds.register(
    "extractions.sample", queue="extraction", deadline_seconds=3600, ids_per_message=1
)
