"""Posting credit that was paid for, and the daily audit of the books."""

from app.core import amounts, db, log, metrics
from app.core.errors import required
from app.domains.money.ledger import audit
from app.domains.money.ledger import service as ledger
from app.domains.money.payments import store
from app.domains.queue.jobs.service import Finish
from workers.queue.attempt import Attempt, handles

logger = log.get(__name__)


@handles(ledger.CREDIT)
def credit(attempt: Attempt) -> Finish:
    """The payment is settled, or this job would not have been started."""
    with db.reading() as reader:
        payment = required(store.of_job(reader, attempt.id), LookupError(attempt.id))
    token, amount = attempt.payload["token"], amounts.amount(attempt.payload["amount"])

    def post(tx: db.Tx) -> None:
        ledger.credit(tx, payment, attempt.account_id, token, amount)

    return post


@handles(audit.KIND)
def audit_books(attempt: Attempt) -> Finish:
    """Writes what does not add up into the log and the metrics; nothing is mended by itself."""
    attempt.stage("auditing", 0)
    with db.reading() as reader:
        violated = audit.broken(reader)
    for rule, rows in violated.items():
        metrics.ledger_violations.labels(rule).inc(rows)
        logger.error("the books do not add up", rule=rule, rows=rows)
    metrics.ledger_audits.labels("broken" if violated else "good").inc()
    return lambda _tx: None
