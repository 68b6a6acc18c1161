"""The work that ends runs of campaigns, and the type of the jobs that read their pages."""

from typing import Final

from app.domains.queue.jobs import kinds

QUEUE: Final = "campaigns"
PAGE_JOB: Final = "campaign"
"""The type of the page job that reads the pages of a run."""
EXTRACTION: Final = "nodes.extraction"
"""The kind of the work of nodes that read them."""

CLOSE: Final = kinds.register("campaigns.close", queue=QUEUE, deadline_seconds=600, priority=30)
STOP: Final = kinds.register("campaigns.stop", queue=QUEUE, deadline_seconds=600, priority=30)
SWEEP: Final = kinds.register(
    "campaigns.sweep", queue=QUEUE, deadline_seconds=300, priority=20, every_seconds=60
)
