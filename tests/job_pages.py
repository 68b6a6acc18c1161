"""Jobs as pages show them, written straight into the tables: no page is fetched."""

from types import SimpleNamespace
from typing import Any
from uuid import UUID

from app.core import db, ids
from app.core.db import Tx
from app.core.ids import Noun
from app.domains.queue.jobs import service as jobs
from app.domains.records.monitors import change_store
from app.domains.records.page_jobs import service as extractions
from app.domains.records.page_jobs import store
from app.domains.records.page_jobs.runs import record_store, run_store
from app.domains.records.page_jobs.runs.failures import SourceUnreadable
from app.domains.records.page_jobs.runs.runs import end_run
from app.domains.records.workflows import service as workflows
from app.domains.records.workflows import step_store
from app.domains.records.workflows.schemas import WorkflowIn
from tests import builders

URL = "https://shop.example.org/lamps"
PRIVATE_URL = "http://intranet.example.org:8080/lamps"
TEXT = "Desk lamp Alder\nPrice: €129.50 incl. VAT\nIn red or blue"
PRICE = "€129.50"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "price": {"type": "number"},
        "colour": {"type": "string"},
        "size": {"type": "string"},
    },
    "required": ["name"],
}
RUN = """
    insert into extraction_runs (id, job_id, n, ended_at, stop_reason)
    values (%(id)s, %(job_id)s, %(n)s, now(), 'done')
    """
END_STEP = """
    update workflow_steps
    set state = %(state)s, items_in = 4, items_out = case %(state)s when 'done' then 4 else 0 end,
        started_at = now() - interval '2.5 s', ended_at = now(),
        because = case %(state)s when 'skipped' then 'cheap failed: it took too long' end
    where (run_id, step) = (%(run_id)s, %(step)s)
    """


def extraction(tx: Tx, account_id: UUID) -> str:
    """An ended job with one record: a name and a price, two colours, no size."""
    body = {"type": "extraction", "source": {"type": "urls", "urls": [URL]}, "schema": SCHEMA}
    job = extractions.submit(tx, account_id, "extraction", body, kept_seconds=86_400)
    public_id = ids.public(Noun.JOB, job.id)
    builders.page_of_job(tx, public_id, URL, TEXT, record())
    assert job.run_id is not None
    filled = record_store.filled(tx, job.run_id)
    end_run(tx, job.run_id, "done", stats={"fields": filled, "outcomes": {"read": 1}})
    return public_id


def doubtful(tx: Tx, account_id: UUID, pages: int, **body: Any) -> str:
    """An ended job whose records have two values each, both of them unsure."""
    source = {"type": "crawl", "url": URL}
    sent = {"type": "extraction", "source": source, "schema": SCHEMA, **body}
    job = extractions.submit(tx, account_id, "extraction", sent, kept_seconds=86_400)
    public_id = ids.public(Noun.JOB, job.id)
    unsure = record()
    unsure.provenance = [{**each, "confidence": 0.7} for each in unsure.provenance]
    for n in range(pages):
        builders.page_of_job(tx, public_id, f"{URL}/{n}", TEXT, unsure)
    assert job.run_id is not None
    end_run(tx, job.run_id, "done")
    return public_id


def waiting(tx: Tx, account_id: UUID) -> str:
    """A job that no worker has taken."""
    source = {"type": "crawl", "url": "https://docs.example.org/guide/", "max_depth": 3}
    body = {"type": "extraction", "source": source, "schema": SCHEMA}
    job = extractions.submit(tx, account_id, "extraction", body, kept_seconds=86_400)
    return ids.public(Noun.JOB, job.id)


def failed(tx: Tx, account_id: UUID) -> str:
    """A job none of whose pages could be read."""
    source = {"type": "url", "url": PRIVATE_URL}
    body = {"type": "extraction", "source": source, "schema": SCHEMA}
    job = extractions.submit(tx, account_id, "extraction", body, kept_seconds=86_400)
    assert job.run_id is not None
    builders.missed_page(tx, job.run_id, PRIVATE_URL, "port_not_allowed")
    stats = {"outcomes": {"port_not_allowed": 1}}
    end_run(tx, job.run_id, "error", stats=stats, error=jobs.describe(SourceUnreadable()))
    return ids.public(Noun.JOB, job.id)


def read_waiting(tx: Tx, public_id: str) -> None:
    """A job that waits has read its only page, and has ended."""
    builders.page_of_job(tx, public_id, URL, TEXT, record())
    internal = ids.internal(Noun.JOB, public_id)
    job = store.of_anybody(tx, internal) if internal else None
    assert job is not None
    assert job.run_id is not None
    end_run(tx, job.run_id, "done", stats={"outcomes": {"read": 1}})


def record() -> SimpleNamespace:
    readings = [
        {"value": value, "confidence": 0.4, "quote": value, "start": start, "end": start + 4}
        for value, start in (("red", TEXT.index("red")), ("blue", TEXT.index("blue")))
    ]
    return SimpleNamespace(
        data={"name": "Desk lamp Alder", "price": 129.5},
        provenance=[quote("/name", "Desk lamp Alder", "trim"), quote("/price", PRICE, "price")],
        unsatisfied=[],
        candidates={"/colour": readings},
        confidence=0.9,
    )


def quote(pointer: str, text: str, transform: str) -> dict[str, Any]:
    start = TEXT.index(text)
    end = start + len(text)
    return {
        "pointer": pointer,
        "kind": "visible",
        "quote": text,
        "start": start,
        "end": end,
        "prefix": TEXT[max(0, start - 20) : start],
        "suffix": TEXT[end : end + 20],
        "selector": "/html/body/p",
        "json_pointer": None,
        "method": "labels",
        "transform": transform,
        "match": "exact",
        "confidence": 0.9,
    }


def monitor(tx: Tx, account_id: UUID) -> str:
    """Three runs: the second saw the price fall, the third two lines become others."""
    body = {
        "type": "monitoring",
        "source": {"type": "url", "url": URL},
        "schedule": {"cron": "0 7 * * 1-5", "timezone": "Europe/Berlin"},
    }
    job = extractions.submit(tx, account_id, "monitoring", body, kept_seconds=86_400)
    public_id = ids.public(Noun.JOB, job.id)
    snapshot = builders.page_of_job(tx, public_id, URL, TEXT, record())
    assert job.run_id is not None
    end_run(tx, job.run_id, "done", stats={"verdicts": {"new": 1}})
    report(tx, job.id, 2, snapshot, fields=[price_fell(ids.public(Noun.SNAPSHOT, snapshot))])
    report(
        tx, job.id, 3, snapshot, facts={"difference": "- Ships in ten days\n+ Ships in two days"}
    )
    return public_id


def report(tx: Tx, job_id: UUID, n: int, snapshot: UUID, **what: Any) -> None:
    run_id = ids.new()
    db.run(tx, RUN, id=run_id, job_id=job_id, n=n)
    run_store.note(tx, run_id, {"verdicts": {"changed": 1}})
    change_store.insert(
        tx,
        job_id=job_id,
        run_id=run_id,
        url=URL,
        verdict="changed",
        snapshot_id=snapshot,
        previous_snapshot_id=snapshot,
        **what,
    )


def price_fell(snapshot: str) -> dict[str, Any]:
    source = {**quote("/price", PRICE, "price"), "snapshot": snapshot}
    source["fetched_at"] = "2026-11-22T09:00:00Z"
    before = {"value": 129.5, **source}
    return {"pointer": "/price", "previous": before, "current": {"value": 119.0, **source}}


def workflow(tx: Tx, account_id: UUID) -> str:
    """Three steps, the second of which failed."""
    own = {"source": {"type": "url", "url": URL}, "schema": SCHEMA}
    body = WorkflowIn().load(
        {
            "type": "workflow",
            "steps": [
                {"id": "read", "type": "extraction", "with": own},
                {
                    "id": "cheap",
                    "type": "filter",
                    "needs": ["read"],
                    "with": {"pointer": "/price", "operator": "lt", "value": 100},
                },
                {"id": "once", "type": "dedupe", "needs": ["cheap"], "with": {"by": ["/name"]}},
            ],
        }
    )
    job = extractions.submit(tx, account_id, "workflow", body, kept_seconds=86_400)
    assert job.run_id is not None
    step_store.insert(tx, job.run_id, body["steps"])
    for step, state in (("read", "done"), ("cheap", "failed"), ("once", "skipped")):
        db.run(tx, END_STEP, run_id=job.run_id, step=step, state=state)
    assert step_store.of_run(tx, job.run_id)
    end_run(tx, job.run_id, "error", error=jobs.describe(workflows.WorkflowFailed()))
    return ids.public(Noun.JOB, job.id)
