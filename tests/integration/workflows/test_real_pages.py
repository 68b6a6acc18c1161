"""Workflows whose extractions read pages of a site, as in the product."""

from typing import Any

import pytest

from app.core import db
from app.core.config.settings import Settings
from app.domains.records.page_jobs import service as extractions
from app.domains.records.page_jobs import store
from app.domains.records.page_jobs.runs import record_store
from app.domains.records.page_jobs.store import PageJob
from app.domains.records.workflows import step_store
from app.domains.records.workflows.schemas import WorkflowIn
from tests.integration.page_jobs.reading import LAMP, Workshop, lamp
from tests.internet import running


@pytest.fixture
def shop(settings: Settings, database: str) -> Any:
    with running() as site:
        yield Workshop.over(settings, site)


def run(shop: Workshop, *steps: dict[str, Any]) -> PageJob:
    body = WorkflowIn().load({"type": "workflow", "steps": list(steps)})
    with db.transaction() as tx:
        job = extractions.submit(tx, shop.account_id, "workflow", body, kept_seconds=86_400)
    shop.work()
    with db.reading() as reader:
        ended = store.of_anybody(reader, job.id)
    assert ended is not None
    return ended


def test_records_of_a_workflow_have_their_quotes(shop: Workshop) -> None:
    shop.lamps(6)
    source = shop.urls(*(f"/{n}" for n in range(6)))
    job = run(
        shop,
        {"id": "read", "type": "extraction", "with": {"schema": LAMP, "source": source}},
        {
            "id": "cheap",
            "type": "filter",
            "needs": ["read"],
            "with": {"pointer": "/price", "operator": "lt", "value": 3},
        },
    )
    assert job.run_id is not None
    with db.reading() as reader:
        records = record_store.after(reader, job.run_id, 0, 10)
        steps = step_store.of_run(reader, job.run_id)
    assert [step.state for step in steps] == ["done", "done"]
    assert [record.data["name"] for record in records] == ["Lamp 0", "Lamp 1", "Lamp 2"]
    assert all(record.provenance and record.content_hash for record in records)


def test_pages_that_a_search_returns_are_read(settings: Settings, database: str) -> None:
    with running() as site:
        shop = Workshop.over(settings, site).with_engine()
        site.pages["/a"] = lamp("Alder", 4.5)
        site.searxng(site.url + "/a")
        job = run(
            shop,
            {"id": "find", "type": "search", "with": {"query": "alder lamps"}},
            {"id": "read", "type": "extraction", "needs": ["find"], "with": {"schema": LAMP}},
        )
        with db.reading() as reader:
            assert job.run_id is not None
            records = record_store.values_after(reader, job.run_id, 0, 10)
    assert [record.data["name"] for record in records] == ["Alder"]
