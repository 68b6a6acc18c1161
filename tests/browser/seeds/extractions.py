"""Jobs: an extraction with every state of a field, one that waits, one that failed; a monitor with
changes of fields and of lines; a workflow of which a step failed."""

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from app.core import db, ids
from app.core.config import smtp_url
from app.core.ids import Noun
from app.domains.queue.alerts import service as alerts
from app.domains.queue.alerts.conditions import Condition
from app.domains.queue.alerts.mail.terms import MailTerms
from app.domains.queue.alerts.service import AlertRequest
from app.web.pages.records.forms import page_fields
from tests import job_pages
from tests.browser.pages import Page

if TYPE_CHECKING:
    from tests.browser.site import Site

PAGES = (
    Page("extractions", "/extractions"),
    Page("extractions-no-match", "/extractions?type=workflow&status=running"),
    Page("extractions-newcomer", "/extractions", "newcomer"),
    Page("extraction", "/extractions/{extraction}?field=/price"),
    Page("extraction-conflict", "/extractions/{extraction}?field=/colour&other=1"),
    Page("extraction-waiting", "/extractions/{waiting_job}"),
    Page("extraction-failed", "/extractions/{failed_job}"),
    Page("extraction-pages", "/extractions/{extraction}/pages"),
    Page("extraction-request", "/extractions/{extraction}/request"),
    Page("extraction-new", "/extractions/new"),
    Page("extraction-template", "/extractions/new?template=event"),
    Page("extraction-fields", "/extractions/new?page={page_of_fields}"),
    Page("extraction-fields-waiting", "/extractions/new?page={waiting_job}"),
    Page("extraction-no-fields", "/extractions/new?page={failed_job}"),
    Page("extraction-edit", "/extractions/new?from={extraction}"),
    Page("monitors", "/monitors"),
    Page("monitors-newcomer", "/monitors", "newcomer"),
    Page("monitor-new", "/monitors/new"),
    Page("monitor", "/monitors/{monitor}?from=1&to=3"),
    Page("monitor-side-by-side", "/monitors/{monitor}?from=2&to=3&layout=side"),
    Page("alert-confirm", "/alerts/confirm/{confirm_token}", None),
    Page("alert-refuse", "/alerts/stop/{refuse_token}", None),
    Page("alert-stop", "/alerts/stop/{stop_token}", None),
    Page("alert-link-used", "/alerts/confirm/aaaaaaaa", None, 404),
    Page("workflows-newcomer", "/workflows", "newcomer"),
    Page("workflow-new", "/workflows/new"),
    Page("workflow-edit", "/workflows/new?from={workflow}"),
    Page("workflow", "/workflows/{workflow}"),
)

ALERTS: Final[tuple[tuple[str, Condition, float], ...]] = (
    ("ada@example.org", "failing", 3),
    ("a.rather.long.name.of.a.reader@mail.example.org", "changed", 2.5),
)
CONFIRMED = "update alert_addresses set confirmed_at = now(), token_hash = null where email = %s"


def plant(site: "Site") -> None:
    with db.transaction() as tx:
        site.ids["extraction"] = job_pages.extraction(tx, site.account)
        site.ids["failed_job"] = job_pages.failed(tx, site.account)
        stored = job_pages.extraction(tx, site.account)
        site.ids["waiting_job"] = job_pages.waiting(tx, site.account)
        site.ids["monitor"] = job_pages.monitor(tx, site.account)
        site.ids["workflow"] = job_pages.workflow(tx, site.account)
    site.ids["page_of_fields"] = fields_of(site, stored)
    _alerts(site)


def _alerts(site: "Site") -> None:
    """Of the monitor, by e-mail: one is told, the other's address was asked to confirm."""
    server = smtp_url.parse("smtp://localhost")
    terms = replace(MailTerms.of(site.settings), server=server, sender="alerts@example.org")
    job_id = ids.lookup(Noun.JOB, site.ids["monitor"])
    with db.transaction() as tx:
        for email, condition, threshold in ALERTS:
            wanted = AlertRequest("monitor", job_id, None, condition, threshold, email, None)
            alerts.create(tx, site.account, wanted, terms, operator=False)
        tx.execute(CONFIRMED, [ALERTS[0][0]])
        tx.execute("update alerts set told_at = now() - interval '2 hours' where threshold = 3")
        asked = "select id from alert_mails order by id desc limit 1"
        site.ids["confirm_token"] = terms.token(db.value(tx, asked))
        site.ids["refuse_token"] = db.value(tx, "select max(stop_token) from alert_addresses")
        site.ids["stop_token"] = db.value(tx, "select max(stop_token) from alerts")


def fields_of(site: "Site", job_id: str) -> str:
    """The job that has looked for fields in the page that another one has stored."""
    body = {
        "type": "extraction",
        "source": {"type": "url", "url": job_pages.URL},
        "schema": job_pages.SCHEMA,
        "metadata": {"name": page_fields.TITLE, page_fields.FIRST: job_id},
    }
    looking = str(site.api("POST", "/v1/extract/jobs", body)["id"])
    with db.transaction() as tx:
        job_pages.read_waiting(tx, looking)
    return looking
