"""The work of campaigns: reading a page, closing a run, ending what is late."""

from typing import Final

from app.domains.queue.jobs import kinds
from app.domains.queue.jobs.kinds import Kind

QUEUE: Final = "campaigns"

CLOSE: Final = kinds.register(
    Kind(name="campaigns.close", queue=QUEUE, deadline_seconds=600, priority=30)
)
STOP: Final = kinds.register(
    Kind(name="campaigns.stop", queue=QUEUE, deadline_seconds=600, priority=30)
)
SWEEP: Final = kinds.register(
    Kind(name="campaigns.sweep", queue=QUEUE, deadline_seconds=300, priority=20, every_seconds=60)
)
