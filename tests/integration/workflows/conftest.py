"""A web that only these tests know, and that is read without a network."""

import pytest

import workers.records.workflow_steps
from app.domains.records.page_jobs.runs import types
from tests.integration.workflows import flows
from workers.queue.attempt import _handlers


@pytest.fixture
def web(database: str, monkeypatch: pytest.MonkeyPatch) -> flows.Web:
    made = flows.Web()
    monkeypatch.setattr(workers.records.workflow_steps, "addresses", made.search)
    extraction = types.of("extraction").kind
    monkeypatch.setitem(_handlers, extraction.name, made.extract)
    monkeypatch.setitem(_handlers, flows.LANE.name, made.read_pages)
    return made
