"""Jobs: an extraction with every state of a field, one that waits, one that failed; a monitor with
changes of fields and of lines; a workflow of which a step failed."""

from typing import TYPE_CHECKING

from app.core import db
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
    Page("workflows-newcomer", "/workflows", "newcomer"),
    Page("workflow-new", "/workflows/new"),
    Page("workflow-edit", "/workflows/new?from={workflow}"),
    Page("workflow", "/workflows/{workflow}"),
)


def plant(site: "Site") -> None:
    with db.transaction() as tx:
        site.ids["extraction"] = job_pages.extraction(tx, site.account)
        site.ids["failed_job"] = job_pages.failed(tx, site.account)
        stored = job_pages.extraction(tx, site.account)
        site.ids["waiting_job"] = job_pages.waiting(tx, site.account)
        site.ids["monitor"] = job_pages.monitor(tx, site.account)
        site.ids["workflow"] = job_pages.workflow(tx, site.account)
    site.ids["page_of_fields"] = fields_of(site, stored)


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
