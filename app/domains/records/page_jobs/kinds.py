"""The kinds of work of this domain; `runs.continuation` has the one that runs are."""

from typing import Final

from app.domains.queue.jobs import kinds

DEADLINE_SECONDS: Final = 3_600
"""Of a run whose request names none."""

ERASE = kinds.register(
    "extractions.erase", queue="housekeeping", deadline_seconds=3600, priority=20
)
# Parts of a run: they have its deadline, and a message of their own, as each takes seconds.
PAGES = kinds.register(
    "extractions.pages", queue="extraction", deadline_seconds=DEADLINE_SECONDS, ids_per_message=1
)
RENDER = kinds.register(
    "extractions.render", queue="rendering", deadline_seconds=DEADLINE_SECONDS, ids_per_message=1
)
CONSENSUS = kinds.register(
    "extractions.consensus",
    queue="extraction",
    deadline_seconds=DEADLINE_SECONDS,
    priority=45,
    ids_per_message=1,
)
SAMPLE = kinds.register(
    "extractions.sample", queue="extraction", deadline_seconds=DEADLINE_SECONDS, ids_per_message=1
)
