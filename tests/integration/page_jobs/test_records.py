"""Records, pages and snapshots over HTTP, in every form."""

import csv
import io
import json
from types import SimpleNamespace
from typing import Any

import pytest
from flask.testing import FlaskClient

from app.core import db
from app.core.config.settings import Settings
from app.core.http.exports import forms
from app.domains.records.page_jobs import export
from tests import builders

JOBS = "/v1/extract/jobs"
TEXT = "Desk lamp\nPrice: $1,299.50 incl. VAT"
BODY = {
    "type": "extraction",
    "source": {"type": "url", "url": "https://shop.example.org/"},
    "schema": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "price": {"type": "number"}},
    },
}
PRICE = {
    "pointer": "/price",
    "kind": "visible",
    "quote": "$1,299.50",
    "start": 17,
    "end": 26,
    "prefix": "Price: ",
    "suffix": " incl. VAT",
    "selector": "/html/body/p[2]",
    "json_pointer": None,
    "method": "labels",
    "transform": "price",
    "match": "exact",
    "confidence": 0.88,
}


def lamp(n: int, confidence: float = 0.9) -> SimpleNamespace:
    return SimpleNamespace(
        data={"price": 1299.5, "name": f"=Lamp {n}"},
        unsatisfied=(),
        provenance=(PRICE,),
        candidates={},
        confidence=confidence,
    )


def headers_of(settings: Settings, email: str) -> dict[str, str]:
    with db.transaction() as tx:
        account = builders.account(tx, email)
        return {"X-API-Key": builders.api_key(tx, settings, account, ("jobs",))}


@pytest.fixture
def owner(settings: Settings) -> dict[str, str]:
    return headers_of(settings, "owner@example.org")


@pytest.fixture
def stranger(settings: Settings) -> dict[str, str]:
    return headers_of(settings, "stranger@example.org")


@pytest.fixture
def job_id(client: FlaskClient, owner: dict[str, str]) -> str:
    """A job with three records on two pages."""
    id = str(client.post(JOBS, json=BODY, headers=owner).json["id"])
    with db.transaction() as tx:
        builders.page_of_job(tx, id, "https://shop.example.org/1", TEXT, lamp(1), lamp(2, 0.5))
        builders.page_of_job(tx, id, "https://shop.example.org/2", TEXT, lamp(3))
    return id


def read(client: FlaskClient, headers: dict[str, str], path: str, accept: str | None = None) -> Any:
    given = headers if accept is None else {**headers, "Accept": accept}
    return client.get(f"{JOBS}/{path}", headers=given)


def test_a_record_says_where_each_value_came_from(
    client: FlaskClient, owner: dict[str, str], job_id: str
) -> None:
    [record, *_] = read(client, owner, f"{job_id}/records").json["records"]
    [cited] = record["provenance"]
    page = client.get(f"/v1/extract/snapshots/{cited['snapshot']}", headers=owner).json
    assert page["text"][cited["start"] : cited["end"]] == cited["quote"]
    assert (cited["content_hash"], cited["source_url"]) == (page["content_hash"], page["url"])
    assert page["visible_end"] == len(TEXT)
    assert list(record["data"]) == ["name", "price"]
    assert record["final"] is False


def test_records_come_page_by_page_in_order(
    client: FlaskClient, owner: dict[str, str], job_id: str
) -> None:
    names, cursor = [], ""
    while cursor is not None:
        page = read(client, owner, f"{job_id}/records?limit=2{cursor}").json
        names += [record["data"]["name"] for record in page["records"]]
        cursor = f"&cursor={page['next_cursor']}" if page["has_more"] else None
    assert names == ["=Lamp 1", "=Lamp 2", "=Lamp 3"]


def test_only_records_that_are_sure_enough_are_shown(
    client: FlaskClient, owner: dict[str, str], job_id: str
) -> None:
    page = read(client, owner, f"{job_id}/records?min_confidence=0.8").json
    assert [record["confidence"] for record in page["records"]] == [0.9, 0.9]


def test_an_export_begins_behind_its_cursor(
    client: FlaskClient, owner: dict[str, str], job_id: str
) -> None:
    cursor = read(client, owner, f"{job_id}/records?limit=2").json["next_cursor"]
    answer = read(client, owner, f"{job_id}/records?cursor={cursor}", "application/x-ndjson")
    assert [json.loads(line)["data"]["name"] for line in answer.text.splitlines()] == ["=Lamp 3"]


def test_each_line_of_ndjson_is_a_record_as_in_the_pages(
    client: FlaskClient, owner: dict[str, str], job_id: str
) -> None:
    answer = read(client, owner, f"{job_id}/records", "application/x-ndjson")
    assert answer.content_type == "application/x-ndjson"
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert lines == read(client, owner, f"{job_id}/records").json["records"]


def test_csv_has_a_row_for_each_record_that_no_spreadsheet_computes(
    client: FlaskClient, owner: dict[str, str], job_id: str
) -> None:
    answer = read(client, owner, f"{job_id}/records?provenance=true&bom=true", "text/csv")
    assert answer.data.startswith(b"\xef\xbb\xbf_id,_url,")
    rows = list(csv.DictReader(io.StringIO(answer.data.decode("utf-8-sig"), newline="")))
    assert [row["name"] for row in rows] == ["'=Lamp 1", "'=Lamp 2", "'=Lamp 3"]
    assert (rows[0]["price"], rows[0]["price._quote"]) == ("1299.5", "$1,299.50")
    assert rows[0]["_fetched_at"].endswith("Z")


def test_csv_of_no_records_has_the_same_columns(
    client: FlaskClient, owner: dict[str, str], job_id: str
) -> None:
    empty = client.post(JOBS, json=BODY, headers=owner).json["id"]
    full = read(client, owner, f"{job_id}/records", "text/csv").text.splitlines()
    assert read(client, owner, f"{empty}/records", "text/csv").text.splitlines() == full[:1]


@pytest.mark.parametrize(
    ("accept", "sent"),
    [
        ("*/*", "application/json"),
        ("text/csv;q=0.5, application/x-ndjson", "application/x-ndjson"),
        ("text/*", "text/csv; charset=utf-8; header=present"),
    ],
)
def test_the_form_is_the_one_that_is_liked_best(
    client: FlaskClient, owner: dict[str, str], job_id: str, accept: str, sent: str
) -> None:
    assert read(client, owner, f"{job_id}/records", accept).content_type == sent


def test_another_form_is_not_acceptable(
    client: FlaskClient, owner: dict[str, str], job_id: str
) -> None:
    answer = read(client, owner, f"{job_id}/records", "application/pdf")
    assert (answer.status_code, answer.json["error"]["code"]) == (406, "not_acceptable")


def test_an_export_that_fails_on_the_way_says_so_in_its_last_line(
    client: FlaskClient,
    owner: dict[str, str],
    job_id: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(export, "PAGE", 2)
    monkeypatch.setattr(forms, "BLOCK_BYTES", 1)
    answer = read(client, owner, f"{job_id}/records", "application/x-ndjson")
    chunks = iter(answer.response)
    received = [next(chunks), next(chunks)]
    assert client.delete(f"{JOBS}/{job_id}", headers=owner).status_code == 204
    with pytest.raises(Exception, match="No job"):
        received.extend(chunks)
    answer.close()
    assert json.loads(received[-1])["error"]["code"] == "job_not_found"


def test_exports_beyond_the_slots_are_refused_and_slots_come_back(
    client: FlaskClient, settings: Settings, owner: dict[str, str], job_id: str
) -> None:
    path = f"{job_id}/records"
    held = [read(client, owner, path, "text/csv") for _ in range(settings.export_slots)]
    refused = read(client, owner, path, "text/csv")
    assert (refused.status_code, refused.json["error"]["code"]) == (503, "overloaded")
    assert "Retry-After" in refused.headers
    assert read(client, owner, path).status_code == 200
    held.pop().close()
    assert read(client, owner, path, "text/csv").status_code == 200


def test_pages_say_what_became_of_them(
    client: FlaskClient, owner: dict[str, str], job_id: str
) -> None:
    pages = read(client, owner, f"{job_id}/pages?outcome=read").json["pages"]
    assert [(page["url"], page["records"]) for page in pages] == [
        ("https://shop.example.org/1", 2),
        ("https://shop.example.org/2", 1),
    ]
    assert read(client, owner, f"{job_id}/pages?outcome=timeout").json["pages"] == []


def test_a_snapshot_is_nobody_elses(
    client: FlaskClient, owner: dict[str, str], stranger: dict[str, str], job_id: str
) -> None:
    [page, *_] = read(client, owner, f"{job_id}/pages").json["pages"]
    path = f"/v1/extract/snapshots/{page['snapshot']}"
    assert client.get(path, headers=owner).status_code == 200
    assert client.get(path, headers=stranger).json["error"]["code"] == "snapshot_not_found"
    body = {"snapshot": page["snapshot"], "quote": "lamp", "live": False}
    answer = client.post("/v1/extract/verify", json=body, headers=stranger)
    assert answer.json["error"]["code"] == "snapshot_not_found"


def test_a_quote_is_checked_in_the_stored_text_alone(
    client: FlaskClient, owner: dict[str, str], job_id: str
) -> None:
    body = {"url": "https://shop.example.org/1", "quote": "$1,299.50", "start": 17, "live": False}
    answer = client.post("/v1/extract/verify", json=body, headers=owner)
    assert answer.status_code == 200
    assert answer.json["stored"] == {"result": "found", "start": 17, "end": 26, "match": "exact"}
    assert (answer.json["live"], answer.json["id"]) == (None, None)


@pytest.mark.parametrize(
    "body",
    [
        {"quote": "x"},
        {"quote": "x", "url": "https://a.test/", "snapshot": "snap_x"},
        {"quote": "  ", "url": "https://a.test/"},
        {"quote": "x" * 2_001, "url": "https://a.test/"},
    ],
)
def test_a_quote_is_of_one_page(
    client: FlaskClient, owner: dict[str, str], body: dict[str, str]
) -> None:
    answer = client.post("/v1/extract/verify", json=body, headers=owner)
    assert answer.json["error"]["code"] == "validation_failed"


def test_an_erased_job_takes_its_snapshots_out_of_sight(
    client: FlaskClient, owner: dict[str, str], job_id: str
) -> None:
    [page, *_] = read(client, owner, f"{job_id}/pages").json["pages"]
    client.delete(f"{JOBS}/{job_id}", headers=owner)
    assert client.get(f"/v1/extract/snapshots/{page['snapshot']}", headers=owner).status_code == 404
