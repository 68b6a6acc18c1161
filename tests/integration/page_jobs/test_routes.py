"""Jobs over HTTP: what is accepted, shown, cancelled and erased."""

from typing import Any

import pytest

from app.core import db, ids
from app.core.ids import Noun
from app.domains.records.page_jobs import service as extractions
from app.domains.records.page_jobs import store
from app.domains.records.page_jobs.runs import page_store
from app.domains.records.page_jobs.runs.runs import end_run
from tests.caller import Caller

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
def created(ada: Caller) -> dict[str, Any]:
    answer = ada.post(JOBS, BODY)
    assert answer.status_code == 202, answer.json
    job: dict[str, Any] = answer.json
    return job


def refused(ada: Caller, **changes: Any) -> list[str]:
    """The fields that are wrong with a changed body."""
    body = {name: value for name, value in {**BODY, **changes}.items() if value is not None}
    answer = ada.post(JOBS, body)
    assert answer.status_code == 400, answer.json
    return [detail["field"] for detail in answer.json["error"]["details"]]


def test_a_job_is_accepted_and_found_where_location_says(ada: Caller) -> None:
    answer = ada.post(JOBS, BODY)
    job = ada.get(answer.headers["Location"]).json
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


def test_what_was_requested_makes_the_same_job_again(ada: Caller, created: dict[str, Any]) -> None:
    path = f"{JOBS}/{created['id']}/request"
    request = ada.get(path).json["request"]
    assert request.items() >= {**BODY, "deadline": "1800s"}.items()
    again = ada.post(JOBS, request).json
    assert ada.get(f"{JOBS}/{again['id']}/request").json["request"] == request


def test_a_monitor_says_when_it_runs_next(ada: Caller) -> None:
    schedule = {"cron": "0 7 * * 1-5", "timezone": "Europe/Berlin"}
    body = {"type": "monitoring", "source": BODY["source"], "schedule": schedule}
    job = ada.post(JOBS, body).json
    assert job["schedule"] == {"every": None, **schedule}
    assert job["next_run_at"] > job["created_at"]
    paused = ada.post(f"{JOBS}/{job['id']}/pause").json
    assert (paused["paused"], paused["next_run_at"]) == (True, None)
    resumed = ada.post(f"{JOBS}/{job['id']}/resume").json
    assert (resumed["paused"], resumed["next_run_at"]) == (False, job["next_run_at"])
    cancelled = ada.post(f"{JOBS}/{job['id']}/cancel").json
    assert cancelled["next_run_at"] is None
    again = ada.post(f"{JOBS}/{job['id']}/resume").json
    assert again["error"]["code"] == "job_not_scheduled"


def test_what_is_wrong_with_a_body_is_named(ada: Caller) -> None:
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
        assert field in refused(ada, **changes), changes


def test_a_search_needs_something_to_find_pages_in(ada: Caller) -> None:
    body = {**BODY, "source": {"type": "search", "query": "lamps"}}
    answer = ada.post(JOBS, body)
    assert answer.json["error"]["code"] == "no_engine_configured"


def test_one_idempotency_key_makes_one_job(ada: Caller) -> None:
    once = {"Idempotency-Key": "order-17"}
    first, second = (ada.post(JOBS, BODY, **once).json for _ in range(2))
    assert first == second
    assert len(ada.get(JOBS).json["jobs"]) == 1


def test_jobs_are_listed_newest_first_and_by_status(ada: Caller, created: dict[str, Any]) -> None:
    newer = ada.post(JOBS, BODY).json["id"]
    page = ada.get(f"{JOBS}?limit=1").json
    assert [job["id"] for job in page["jobs"]] == [newer]
    rest = ada.get(f"{JOBS}?limit=1&cursor={page['next_cursor']}").json
    assert [job["id"] for job in rest["jobs"]] == [created["id"]]
    assert "stats" not in rest["jobs"][0]
    assert ada.get(f"{JOBS}?status=completed").json["jobs"] == []
    listed = ada.get(f"{JOBS}?status=queued&type=extraction").json["jobs"]
    assert len(listed) == 2


def test_a_rerun_is_a_new_job_of_the_same_request(ada: Caller, created: dict[str, Any]) -> None:
    answer = ada.post(f"{JOBS}/{created['id']}/rerun")
    assert answer.status_code == 202
    assert answer.json["rerun_of"] == created["id"]
    assert answer.json["id"] != created["id"]
    assert answer.json["metadata"] == {"team": "a"}


def test_an_ended_job_is_told_with_its_events_and_without_waiting(
    ada: Caller, created: dict[str, Any]
) -> None:
    end(created["id"])
    path = f"{JOBS}/{created['id']}"
    answer = ada.get(f"{path}?wait=30")
    assert (answer.json["status"], answer.json["stop_reason"]) == ("completed", "done")
    assert "Retry-After" not in answer.headers
    stream = ada.get(f"{path}/events").text
    assert stream.startswith("event: completed")


def test_the_runs_of_a_job_say_how_they_ended(ada: Caller, created: dict[str, Any]) -> None:
    path = f"{JOBS}/{created['id']}/runs"
    [run] = ada.get(path).json["runs"]
    assert (run["n"], run["status"], run["stop_reason"]) == (1, "running", None)
    end(created["id"])
    [run] = ada.get(path).json["runs"]
    assert (run["status"], run["stop_reason"]) == ("completed", "done")
    assert run["pages"]["found"] == 0


def test_a_run_of_another_job_is_no_run_of_this_one(ada: Caller, created: dict[str, Any]) -> None:
    other = ada.post(JOBS, BODY).json["id"]
    [run] = ada.get(f"{JOBS}/{other}/runs").json["runs"]
    answer = ada.get(f"{JOBS}/{created['id']}/records?run={run['id']}")
    assert answer.json["error"]["code"] == "run_not_found"


def test_jobs_of_this_type_have_no_changes(ada: Caller, created: dict[str, Any]) -> None:
    answer = ada.get(f"{JOBS}/{created['id']}/changes").json
    assert answer == {"changes": [], "has_more": False, "next_cursor": None}


def test_an_endpoint_made_for_a_job_hears_of_its_end(ada: Caller) -> None:
    body = {**BODY, "webhook": {"url": "https://hooks.example.org/", "events": ["job.completed"]}}
    job = ada.post(JOBS, body).json
    assert job["webhook"]["secret"].startswith("whsec_")
    assert ada.get(f"{JOBS}/{job['id']}").json["webhook"] == {"id": job["webhook"]["id"]}
    end(job["id"])
    path = f"/v1/webhooks/{job['webhook']['id']}/deliveries"
    [delivery] = ada.get(path).json["deliveries"]
    assert delivery["type"] == "job.completed"


def test_an_account_whose_pages_wait_gets_no_further_job(
    ada: Caller, created: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extractions, "MOST_QUEUED_PAGES", 2)
    id = ids.internal(Noun.JOB, created["id"])
    assert id is not None
    with db.transaction() as tx:
        job = store.of_anybody(tx, id)
        assert job is not None
        assert job.run_id is not None
        page_store.add(tx, job.run_id, ["https://a.test/1", "https://a.test/2"])
    answer = ada.post(JOBS, BODY)
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
