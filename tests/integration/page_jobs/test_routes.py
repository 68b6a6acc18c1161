"""Jobs over HTTP: what is accepted, shown, cancelled and erased."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.ids import Noun
from app.domains.records.page_jobs import service as extractions
from app.domains.records.page_jobs import store
from app.domains.records.page_jobs.runs import page_store
from app.domains.records.page_jobs.runs.runs import end_run
from tests import builders

JOBS = "/v1/extract/jobs"
SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "price": {"type": "number", "minimum": 0}},
    "required": ["name"],
}
BODY: dict[str, Any] = {
    "type": "extraction",
    "source": {"type": "urls", "urls": ["https://shop.example.org/a"]},
    "schema": SCHEMA,
    "validation": {"sample_rate": 0.1, "require_provenance": True},
    "examples": [{"url": "https://shop.example.org/b", "data": {"name": "Lamp"}}],
    "max_pages": 500,
    "deadline": "30m",
    "metadata": {"team": "a"},
}


@pytest.fixture
def owner(settings: Settings) -> dict[str, str]:
    """Headers with an API key for jobs."""
    with db.transaction() as tx:
        account = builders.account(tx)
        return {"X-API-Key": builders.api_key(tx, settings, account, ("jobs",))}


@pytest.fixture
def created(client: FlaskClient, owner: dict[str, str]) -> dict[str, Any]:
    answer = client.post(JOBS, json=BODY, headers=owner)
    assert answer.status_code == 202, answer.json
    job: dict[str, Any] = answer.json
    return job


def refused(client: FlaskClient, owner: dict[str, str], **changes: Any) -> list[str]:
    """The fields that are wrong with a changed body."""
    body = {name: value for name, value in {**BODY, **changes}.items() if value is not None}
    answer = client.post(JOBS, json=body, headers=owner)
    assert answer.status_code == 400, answer.json
    return [detail["field"] for detail in answer.json["error"]["details"]]


def test_a_job_is_accepted_and_found_where_location_says(
    client: FlaskClient, owner: dict[str, str]
) -> None:
    answer = client.post(JOBS, json=BODY, headers=owner)
    job = client.get(answer.headers["Location"], headers=owner).json
    assert job == answer.json
    assert (job["status"], job["type"], job["metadata"]) == ("queued", "extraction", {"team": "a"})
    assert answer.headers["Retry-After"] == "1"
    assert answer.headers["X-API-Status"] == "preview"


def test_a_job_has_what_the_interface_promises(created: dict[str, Any]) -> None:
    assert created["progress"] == {
        "percent": 0,
        "stage": "queued",
        "pages_found": 0,
        "pages_done": 0,
        "pages_failed": 0,
        "records": 0,
    }
    empty = (
        "stop_reason started_at completed_at expires_at rerun_of validation error steps webhook"
        " schedule next_run_at coverage"
    )
    assert all(created[name] is None for name in empty.split())
    assert created["deadline_at"] > created["created_at"]
    url = BODY["source"]["urls"][0]
    assert created["source"] == {"type": "urls", "url": url, "query": None, "count": 1}


def test_what_was_requested_makes_the_same_job_again(
    client: FlaskClient, owner: dict[str, str], created: dict[str, Any]
) -> None:
    path = f"{JOBS}/{created['id']}/request"
    request = client.get(path, headers=owner).json["request"]
    assert request.items() >= {**BODY, "deadline": "1800s"}.items()
    again = client.post(JOBS, json=request, headers=owner).json
    assert client.get(f"{JOBS}/{again['id']}/request", headers=owner).json["request"] == request


def test_a_monitor_says_when_it_runs_next(client: FlaskClient, owner: dict[str, str]) -> None:
    schedule = {"cron": "0 7 * * 1-5", "timezone": "Europe/Berlin"}
    body = {"type": "monitoring", "source": BODY["source"], "schedule": schedule}
    job = client.post(JOBS, json=body, headers=owner).json
    assert job["schedule"] == {"every": None, **schedule}
    assert job["next_run_at"] > job["created_at"]
    paused = client.post(f"{JOBS}/{job['id']}/pause", headers=owner).json
    assert (paused["paused"], paused["next_run_at"]) == (True, None)
    resumed = client.post(f"{JOBS}/{job['id']}/resume", headers=owner).json
    assert (resumed["paused"], resumed["next_run_at"]) == (False, job["next_run_at"])
    cancelled = client.post(f"{JOBS}/{job['id']}/cancel", headers=owner).json
    assert cancelled["next_run_at"] is None
    again = client.post(f"{JOBS}/{job['id']}/resume", headers=owner).json
    assert again["error"]["code"] == "job_not_scheduled"


def test_what_is_wrong_with_a_body_is_named(client: FlaskClient, owner: dict[str, str]) -> None:
    for changes, field in (
        ({"type": "mining"}, "/type"),
        ({"type": None}, "/type"),
        ({"source": {"type": "ftp"}}, "/source/type"),
        ({"source": {"type": "urls", "urls": []}}, "/source/urls"),
        ({"source": {"type": "url", "url": "file:///etc/passwd"}}, "/source/url"),
        ({"schema": None}, "/schema"),
        ({"schema": {"type": "object", "properties": {}}}, "/schema/properties"),
        ({"schema": {**SCHEMA, "required": ["nam"]}}, "/schema/required/0"),
        ({"validation": {"sample_rate": 2}}, "/validation/sample_rate"),
        ({"validation": {"sample_rate": "0.5"}}, "/validation/sample_rate"),
        ({"validation": {"sample_rate": True}}, "/validation/sample_rate"),
        ({"examples": [{"url": "https://a.test/", "data": {}}]}, "/examples/0/data"),
        ({"examples": [{"url": "https://a.test/", "data": {"x": 1}}]}, "/examples/0/data/x"),
        ({"max_pages": 0}, "/max_pages"),
        ({"deadline": "2d"}, "/deadline"),
        ({"metadata": {"team": 1}}, "/metadata/team"),
        ({"metadata": {str(n): "x" for n in range(17)}}, "/metadata"),
        ({"track": ["/price"]}, "/track"),
        ({"webhook": {"url": "http://10.0.0.1/"}}, "/webhook/url"),
    ):
        assert field in refused(client, owner, **changes), changes


def test_a_search_needs_something_to_find_pages_in(
    client: FlaskClient, owner: dict[str, str]
) -> None:
    body = {**BODY, "source": {"type": "search", "query": "lamps"}}
    answer = client.post(JOBS, json=body, headers=owner)
    assert answer.json["error"]["code"] == "no_engine_configured"


def test_one_idempotency_key_makes_one_job(client: FlaskClient, owner: dict[str, str]) -> None:
    headers = {**owner, "Idempotency-Key": "order-17"}
    first, second = (client.post(JOBS, json=BODY, headers=headers).json for _ in range(2))
    assert first == second
    assert len(client.get(JOBS, headers=owner).json["jobs"]) == 1


def test_jobs_are_listed_newest_first_and_by_status(
    client: FlaskClient, owner: dict[str, str], created: dict[str, Any]
) -> None:
    newer = client.post(JOBS, json=BODY, headers=owner).json["id"]
    page = client.get(f"{JOBS}?limit=1", headers=owner).json
    assert [job["id"] for job in page["jobs"]] == [newer]
    rest = client.get(f"{JOBS}?limit=1&cursor={page['next_cursor']}", headers=owner).json
    assert [job["id"] for job in rest["jobs"]] == [created["id"]]
    assert "stats" not in rest["jobs"][0]
    assert client.get(f"{JOBS}?status=completed", headers=owner).json["jobs"] == []
    listed = client.get(f"{JOBS}?status=queued&type=extraction", headers=owner).json["jobs"]
    assert len(listed) == 2


def test_a_deleted_job_is_gone_at_once(
    client: FlaskClient, owner: dict[str, str], created: dict[str, Any]
) -> None:
    end(created["id"])
    path = f"{JOBS}/{created['id']}"
    assert client.delete(path, headers=owner).status_code == 204
    assert client.get(path, headers=owner).json["error"]["code"] == "job_not_found"
    assert client.get(f"{path}/records", headers=owner).status_code == 404


def test_a_rerun_is_a_new_job_of_the_same_request(
    client: FlaskClient, owner: dict[str, str], created: dict[str, Any]
) -> None:
    answer = client.post(f"{JOBS}/{created['id']}/rerun", headers=owner)
    assert answer.status_code == 202
    assert answer.json["rerun_of"] == created["id"]
    assert answer.json["id"] != created["id"]
    assert answer.json["metadata"] == {"team": "a"}


def test_an_ended_job_is_told_with_its_events_and_without_waiting(
    client: FlaskClient, owner: dict[str, str], created: dict[str, Any]
) -> None:
    end(created["id"])
    path = f"{JOBS}/{created['id']}"
    answer = client.get(f"{path}?wait=30", headers=owner)
    assert (answer.json["status"], answer.json["stop_reason"]) == ("completed", "done")
    assert "Retry-After" not in answer.headers
    stream = client.get(f"{path}/events", headers=owner).text
    assert stream.startswith("event: completed")


def test_the_runs_of_a_job_say_how_they_ended(
    client: FlaskClient, owner: dict[str, str], created: dict[str, Any]
) -> None:
    path = f"{JOBS}/{created['id']}/runs"
    [run] = client.get(path, headers=owner).json["runs"]
    assert (run["n"], run["status"], run["stop_reason"]) == (1, "running", None)
    end(created["id"])
    [run] = client.get(path, headers=owner).json["runs"]
    assert (run["status"], run["stop_reason"]) == ("completed", "done")
    assert run["pages"]["found"] == 0


def test_a_run_of_another_job_is_no_run_of_this_one(
    client: FlaskClient, owner: dict[str, str], created: dict[str, Any]
) -> None:
    other = client.post(JOBS, json=BODY, headers=owner).json["id"]
    [run] = client.get(f"{JOBS}/{other}/runs", headers=owner).json["runs"]
    answer = client.get(f"{JOBS}/{created['id']}/records?run={run['id']}", headers=owner)
    assert answer.json["error"]["code"] == "run_not_found"


def test_jobs_of_this_type_have_no_changes(
    client: FlaskClient, owner: dict[str, str], created: dict[str, Any]
) -> None:
    answer = client.get(f"{JOBS}/{created['id']}/changes", headers=owner).json
    assert answer == {"changes": [], "has_more": False, "next_cursor": None}


def test_an_endpoint_made_for_a_job_hears_of_its_end(
    client: FlaskClient, owner: dict[str, str]
) -> None:
    body = {**BODY, "webhook": {"url": "https://hooks.example.org/", "events": ["job.completed"]}}
    job = client.post(JOBS, json=body, headers=owner).json
    assert job["webhook"]["secret"].startswith("whsec_")
    assert client.get(f"{JOBS}/{job['id']}", headers=owner).json["webhook"] == {
        "id": job["webhook"]["id"]
    }
    end(job["id"])
    path = f"/v1/webhooks/{job['webhook']['id']}/deliveries"
    [delivery] = client.get(path, headers=owner).json["deliveries"]
    assert delivery["type"] == "job.completed"


def test_an_account_whose_pages_wait_gets_no_further_job(
    client: FlaskClient,
    owner: dict[str, str],
    created: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(extractions, "MOST_QUEUED_PAGES", 2)
    id = ids.internal(Noun.JOB, created["id"])
    assert id is not None
    with db.transaction() as tx:
        job = store.of_anybody(tx, id)
        assert job is not None
        assert job.run_id is not None
        page_store.add(tx, job.run_id, ["https://a.test/1", "https://a.test/2"])
    answer = client.post(JOBS, json=BODY, headers=owner)
    assert (answer.status_code, answer.json["error"]["code"]) == (429, "rate_limited")
    assert answer.headers["Retry-After"] == "60"


def end(public_id: str) -> None:
    """As if its run had been done."""
    id = ids.internal(Noun.JOB, public_id)
    assert id is not None
    with db.transaction() as tx:
        job = store.of_anybody(tx, id)
        assert job is not None
        assert job.run_id is not None
        tx.execute(
            "update jobs set state = 'succeeded', finished_at = now() where id = %s", [job.run_id]
        )
        assert end_run(tx, job.run_id, "done")
