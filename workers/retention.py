"""What is forgotten when its time is over. Run by every dispatcher, once a minute."""

from app.core import db
from app.core.config import Settings
from app.core.http import idempotency
from app.domains.accounts import service as accounts
from app.domains.jobs import dispatching
from app.domains.pages import service as pages
from app.domains.passages import service as passages
from app.domains.payments import service as payments
from app.domains.searches import service as searches


def apply(settings: Settings) -> None:
    """Delete expired searches with their provenance, and old pages, jobs, keys and tokens."""
    with db.transaction() as tx:
        searches.expire(tx)
    with db.transaction() as tx:
        pages.expire(tx)
    with db.transaction() as tx:
        passages.forget_snapshots(tx)
    with db.transaction() as tx:
        # A day more than searches: nothing may outlive the job that says how it ended.
        dispatching.retire(tx, settings.retention_days + 1)
    with db.transaction() as tx:
        idempotency.forget_old(tx)
    with db.transaction() as tx:
        accounts.retire(tx)
    with db.transaction() as tx:
        payments.retire(tx)
