"""Hand mails of alerts to the mail server: one attempt each."""

from app.core import metrics
from app.core.errors import AppError
from app.domains.queue.alerts.mail import mail_store, mails, smtp
from app.domains.queue.alerts.mail.mails import KIND
from app.domains.queue.alerts.mail.smtp import MailFailed
from app.domains.queue.alerts.mail.terms import MailTerms
from app.domains.queue.jobs.service import Finish
from workers.queue.attempt import Attempt, handles


@handles(KIND)
def send(attempt: Attempt) -> Finish:
    """Send the mail if somebody still wants it; MailFailed leaves it to the next attempt."""
    terms = MailTerms.of(attempt.settings)
    with attempt.step() as tx:
        letter = mails.begin(tx, attempt.id, terms)
    if letter is None:
        return lambda _tx: None
    try:
        if terms.server is None:
            raise MailFailed(why="SMTP_URL is empty")
        smtp.send(terms.server, letter, terms)
    except AppError as failed:
        metrics.alert_mails.labels("failed" if failed.retryable else "refused").inc()
        raise
    metrics.alert_mails.labels("accepted").inc()
    return lambda tx: mail_store.end(tx, attempt.id, "sent")
