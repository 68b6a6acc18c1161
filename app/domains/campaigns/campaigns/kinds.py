"""The work of campaigns: reading a page, closing a run, ending what is late."""

from typing import Final

from app.domains.queue.jobs import service as jobs

QUEUE: Final = "campaigns"

CLOSE: Final = jobs.register(
    jobs.Kind(name="campaigns.close", queue=QUEUE, deadline_seconds=600, priority=30)
)
STOP: Final = jobs.register(
    jobs.Kind(name="campaigns.stop", queue=QUEUE, deadline_seconds=600, priority=30)
)
SWEEP: Final = jobs.register(
    jobs.Kind(
        name="campaigns.sweep", queue=QUEUE, deadline_seconds=300, priority=20, every_seconds=60
    )
)
