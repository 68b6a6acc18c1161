"""Records, pages and snapshots over HTTP, in every form."""

import csv
import io
import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from flask.testing import FlaskClient

from app.core import db
from app.core.config.settings import Settings
from app.core.http.exports import forms
from app.domains.records.page_jobs import export
from tests import builders
from tests.caller import Caller
from tests.integration.page_jobs.conftest import caller

Read = Callable[..., Any]

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


@pytest.fixture
def job_id(ada: Caller) -> str:
    """A job with three records on two pages."""
    id = str(ada.post(JOBS, BODY).json["id"])
    with db.transaction() as tx:
        builders.page_of_job(tx, id, "https://shop.example.org/1", TEXT, lamp(1), lamp(2, 0.5))
        builders.page_of_job(tx, id, "https://shop.example.org/2", TEXT, lamp(3))
    return id


@pytest.fixture
def read(ada: Caller, job_id: str) -> Read:
    """What is answered about that job: `read("records", "text/csv")`."""

    def read(below: str, accept: str = "application/json") -> Any:
        return ada.get(f"{JOBS}/{job_id}/{below}", Accept=accept)

    return read


def test_a_record_says_where_each_value_came_from(ada: Caller, read: Read) -> None:
    [record, *_] = read("records").json["records"]
    [cited] = record["provenance"]
    page = ada.get(f"/v1/extract/snapshots/{cited['snapshot']}").json
    assert page["text"][cited["start"] : cited["end"]] == cited["quote"]
    assert (cited["content_hash"], cited["source_url"]) == (page["content_hash"], page["url"])
    assert page["visible_end"] == len(TEXT)
    assert list(record["data"]) == ["name", "price"]
    assert record["final"] is False


def test_records_come_page_by_page_in_order(read: Read) -> None:
    names, cursor = [], ""
    while cursor is not None:
        page = read(f"records?limit=2{cursor}").json
        names += [record["data"]["name"] for record in page["records"]]
        cursor = f"&cursor={page['next_cursor']}" if page["has_more"] else None
    assert names == ["=Lamp 1", "=Lamp 2", "=Lamp 3"]


def test_only_records_that_are_sure_enough_are_shown(read: Read) -> None:
    page = read("records?min_confidence=0.8").json
    assert [record["confidence"] for record in page["records"]] == [0.9, 0.9]


def test_an_export_begins_behind_its_cursor(read: Read) -> None:
    cursor = read("records?limit=2").json["next_cursor"]
    answer = read(f"records?cursor={cursor}", "application/x-ndjson")
    assert [json.loads(line)["data"]["name"] for line in answer.text.splitlines()] == ["=Lamp 3"]


def test_each_line_of_ndjson_is_a_record_as_in_the_pages(read: Read) -> None:
    answer = read("records", "application/x-ndjson")
    assert answer.content_type == "application/x-ndjson"
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert lines == read("records").json["records"]


def test_csv_has_a_row_for_each_record_that_no_spreadsheet_computes(read: Read) -> None:
    answer = read("records?provenance=true&bom=true", "text/csv")
    assert answer.data.startswith(b"\xef\xbb\xbf_id,_url,")
    rows = list(csv.DictReader(io.StringIO(answer.data.decode("utf-8-sig"), newline="")))
    assert [row["name"] for row in rows] == ["'=Lamp 1", "'=Lamp 2", "'=Lamp 3"]
    assert (rows[0]["price"], rows[0]["price._quote"]) == ("1299.5", "$1,299.50")
    assert rows[0]["_fetched_at"].endswith("Z")


def test_csv_of_no_records_has_the_same_columns(ada: Caller, read: Read) -> None:
    empty = ada.post(JOBS, BODY).json["id"]
    full = read("records", "text/csv").text.splitlines()
    assert ada.get(f"{JOBS}/{empty}/records", Accept="text/csv").text.splitlines() == full[:1]


def test_the_form_is_the_one_that_is_liked_best(read: Read) -> None:
    for accept, sent in (
        ("*/*", "application/json"),
        ("text/csv;q=0.5, application/x-ndjson", "application/x-ndjson"),
        ("text/*", "text/csv; charset=utf-8; header=present"),
    ):
        answer = read("records", accept)
        assert answer.content_type == sent
        answer.close()
    refused = read("records", "application/pdf")
    assert (refused.status_code, refused.json["error"]["code"]) == (406, "not_acceptable")


def test_an_export_that_fails_on_the_way_says_so_in_its_last_line(
    ada: Caller, read: Read, job_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "PAGE", 2)
    monkeypatch.setattr(forms, "BLOCK_BYTES", 1)
    answer = read("records", "application/x-ndjson")
    chunks = iter(answer.response)
    received = [next(chunks), next(chunks)]
    assert ada.delete(f"{JOBS}/{job_id}").status_code == 204
    with pytest.raises(Exception, match="No job"):
        received.extend(chunks)
    answer.close()
    assert json.loads(received[-1])["error"]["code"] == "job_not_found"


def test_exports_beyond_the_slots_are_refused_and_slots_come_back(
    settings: Settings, read: Read
) -> None:
    held = [read("records", "text/csv") for _ in range(settings.export_slots)]
    refused = read("records", "text/csv")
    assert (refused.status_code, refused.json["error"]["code"]) == (503, "overloaded")
    assert "Retry-After" in refused.headers
    assert read("records").status_code == 200
    held.pop().close()
    assert read("records", "text/csv").status_code == 200


def test_pages_say_what_became_of_them(read: Read) -> None:
    pages = read("pages?outcome=read").json["pages"]
    assert [(page["url"], page["records"]) for page in pages] == [
        ("https://shop.example.org/1", 2),
        ("https://shop.example.org/2", 1),
    ]
    assert read("pages?outcome=timeout").json["pages"] == []


def test_no_quote_is_looked_for_in_a_snapshot_of_somebody_else(
    client: FlaskClient, settings: Settings, ada: Caller, read: Read
) -> None:
    [page, *_] = read("pages").json["pages"]
    body = {"snapshot": page["snapshot"], "quote": "lamp", "live": False}
    assert ada.post("/v1/extract/verify", body).status_code == 200
    answer = caller(client, settings, "eve@example.org").post("/v1/extract/verify", body)
    assert answer.json["error"]["code"] == "snapshot_not_found"


def test_a_quote_is_checked_in_the_stored_text_alone(ada: Caller, job_id: str) -> None:
    body = {"url": "https://shop.example.org/1", "quote": "$1,299.50", "start": 17, "live": False}
    answer = ada.post("/v1/extract/verify", body)
    assert answer.status_code == 200
    assert answer.json["stored"] == {"result": "found", "start": 17, "end": 26, "match": "exact"}
    assert (answer.json["live"], answer.json["id"]) == (None, None)


def test_a_quote_is_of_one_page(ada: Caller) -> None:
    for body in (
        {"quote": "x"},
        {"quote": "x", "url": "https://a.test/", "snapshot": "snap_x"},
        {"quote": "  ", "url": "https://a.test/"},
        {"quote": "x" * 2_001, "url": "https://a.test/"},
    ):
        answer = ada.post("/v1/extract/verify", body)
        assert answer.json["error"]["code"] == "validation_failed", body


def test_an_erased_job_takes_its_snapshots_out_of_sight(
    ada: Caller, read: Read, job_id: str
) -> None:
    [page, *_] = read("pages").json["pages"]
    ada.delete(f"{JOBS}/{job_id}")
    assert ada.get(f"/v1/extract/snapshots/{page['snapshot']}").status_code == 404
