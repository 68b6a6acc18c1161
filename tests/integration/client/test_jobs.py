"""`client.jobs` over the application in this process."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
from citegrid import Client
from flask import Flask

from app.core import db
from app.core.config.settings import Settings
from app.wsgi import create_app
from tests import builders

SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}}
PAGE = "https://shop.example.org/"


@pytest.fixture
def key(settings: Settings) -> str:
    with db.transaction() as tx:
        return builders.api_key(tx, settings, builders.account(tx), ("jobs",))


def client_of(app: Flask, key: str) -> Client:
    return Client("http://127.0.0.1:1", key, transport=httpx.WSGITransport(app))


def lamp(name: str) -> SimpleNamespace:
    return SimpleNamespace(
        data={"name": name}, unsatisfied=(), provenance=(), candidates={}, confidence=0.9
    )


@pytest.fixture
def job_id(app: Flask, key: str) -> str:
    """A job with two records."""
    with client_of(app, key) as client:
        job = client.jobs.extract(PAGE, SCHEMA, metadata={"team": "a"})
    with db.transaction() as tx:
        builders.page_of_job(tx, job.id, PAGE, "Lamp", lamp("Lamp"), lamp("=Desk"))
    return job.id


def test_a_job_is_started_and_read(app: Flask, key: str, job_id: str) -> None:
    with client_of(app, key) as client:
        job = client.jobs.get(job_id)
        assert (job.type, job.status, job.metadata) == ("extraction", "queued", {"team": "a"})
        assert [each.id for each in client.jobs.iterate()] == [job_id]
        assert [run.n for run in client.jobs.runs(job_id)] == [1]
        assert [page.url for page in client.jobs.pages(job_id)] == [PAGE]
        assert [record.data["name"] for record in client.jobs.records(job_id)] == ["Lamp", "=Desk"]
        assert list(client.jobs.changes(job_id)) == []


def test_an_export_is_a_file_once_it_is_whole(
    app: Flask, key: str, job_id: str, tmp_path: Path
) -> None:
    with client_of(app, key) as client:
        written = client.jobs.export(job_id, tmp_path / "lamps.csv")
        lines = client.jobs.export(job_id, tmp_path / "lamps.ndjson")
    rows = written.read_text(encoding="utf-8").splitlines()
    assert [row.rpartition(",")[2] for row in rows] == ["name", "Lamp", "'=Desk"]
    assert len(lines.read_text(encoding="utf-8").splitlines()) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lamps.csv", "lamps.ndjson"]


def test_a_cancelled_job_is_told_by_its_events(app: Flask, key: str, job_id: str) -> None:
    with client_of(app, key) as client:
        client.jobs.cancel(job_id)
        assert client.jobs.wait(job_id).status == "cancelled"
        assert [event.name for event in client.jobs.events(job_id)] == ["completed"]
        client.jobs.delete(job_id)
        assert len(client.jobs.list()) == 0


def test_jobs_are_where_the_server_is_configured_to_have_them(
    settings: Settings, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXTRACTION_PRODUCT_SEGMENT", "records")
    app = create_app(replace(settings, extraction_product_segment="records"))
    with client_of(app, key) as client:
        assert client.jobs.extract(PAGE, SCHEMA).status == "queued"
