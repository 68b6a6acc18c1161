"""How a search is called and what it can be: the same words for callers and for us."""

PREFIX = "srch"

# Accepted is running: a worker picks it up at once (contract 3).
OF_JOB = {
    "pending": "pending",
    "queued": "running",
    "dispatched": "running",
    "running": "running",
    "succeeded": "completed",
    "failed": "failed",
    "cancelled": "cancelled",
}
PUBLIC = ("pending", "running", "completed", "failed", "cancelled")
