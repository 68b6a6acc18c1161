"""Handler of the work that looks at a page itself, for a quote that was read there."""

from typing import Final

from app.core import db
from app.core.http.fields import rfc3339
from app.domains.queue.jobs.service import Finish
from app.domains.records.page_jobs.verification import verifications
from app.domains.records.page_jobs.verification.quote_check import GONE, QuoteCheck
from app.domains.records.page_jobs.verification.verifications import QuoteQuestion
from app.engine.fetch import Response
from app.engine.pages.page import PageUnreadable
from app.engine.sandbox import visit
from app.engine.sandbox.documents import Extraction
from app.engine.sandbox.reader import UNHURRIED
from workers.queue.attempt import Attempt, handles
from workers.records.lanes.web import JobWeb, job_web

_NOT_THERE: Final = ("http_404", "http_410")
_WALLS: Final = ("paywall", "consent_wall", "login_wall", "error_page")
BLOCKED: Final = "blocked"


@handles(verifications.VERIFY)
def verify(attempt: Attempt) -> Finish:
    """Fetch and read the page; what cannot be read is no answer, and says why."""
    with db.reading() as reader:
        question = verifications.question(reader, attempt.id)
    web = job_web(attempt.settings)
    response = web.fetch_patiently(question.url)
    attempt.check()
    if not isinstance(response, Response):
        live, error = (QuoteCheck(GONE), None) if response in _NOT_THERE else (None, response)
        return lambda tx: verifications.complete(tx, attempt.id, live, fetched_at=None, error=error)
    live, error = _answered(question, response, web)
    fetched_at = rfc3339(response.fetched_at)
    return lambda tx: verifications.complete(
        tx, attempt.id, live, fetched_at=fetched_at, error=error
    )


def _answered(
    question: QuoteQuestion, response: Response, web: JobWeb
) -> tuple[QuoteCheck | None, str | None]:
    """Returns what the page says now, or why it says nothing."""
    try:
        extracted = web.reader.extract(
            visit.document_of(response), UNHURRIED, Extraction(None, None)
        )
    except PageUnreadable as unreadable:
        return None, unreadable.reason.value
    verified = question.answer(extracted.records.text, response.url if response.moved else None)
    if verified.result not in ("found", "moved") and extracted.facts.blocked in _WALLS:
        return None, BLOCKED
    return verified, None
