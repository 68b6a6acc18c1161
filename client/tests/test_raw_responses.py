"""Raw responses: what an answer came in, beside its value."""

from pathlib import Path

import httpx
import pytest
from answers import COMPLETED, RUNNING, Recording, refusal
from conftest import Ask

from citegrid import errors

HEADERS = {"X-Request-Id": "req_a", "RateLimit": '"read";r=7;t=3', "Set-Cookie": "a=secret"}


@pytest.fixture
def ask(ask_either: Ask) -> Ask:
    return ask_either


def accepted() -> httpx.Response:
    return httpx.Response(202, json={"id": "srch_a", "status": "running"}, headers=HEADERS)


def test_a_raw_response_has_all_that_came_and_what_the_method_returns_otherwise(ask: Ask) -> None:
    raw = ask(Recording(accepted()), lambda c: c.with_raw_response.searches.create("Why?"))
    assert (raw.status, raw.request_id, raw.content) == (202, "req_a", accepted().content)
    assert raw.headers["ratelimit"] == '"read";r=7;t=3'
    assert (raw.value.id, raw.value.request_id) == ("srch_a", "req_a")


def test_an_answer_without_a_body_has_a_raw_response(ask: Ask) -> None:
    server = Recording(httpx.Response(204, headers=HEADERS))
    raw = ask(server, lambda c: c.with_raw_response.jobs.delete("job_a"))
    assert (raw.status, raw.value) == (204, None)


def test_of_several_answers_the_last_one_is_there(ask: Ask) -> None:
    server = Recording(
        accepted(), httpx.Response(200, json=COMPLETED, headers={"X-Request-Id": "req_b"})
    )
    raw = ask(server, lambda c: c.with_raw_response.searches.ask("Why?"))
    assert (raw.status, raw.request_id, raw.value.answered) == (200, "req_b", True)


def test_a_call_that_was_tried_again_has_the_answer_that_counted(ask: Ask) -> None:
    server = Recording(refusal(503, "overloaded"), accepted())
    raw = ask(server, lambda c: c.with_raw_response.searches.create("Why?"))
    assert raw.status == 202


def test_a_refusal_is_raised_as_ever(ask: Ask) -> None:
    server = Recording(refusal(404, "search_not_found"))
    with pytest.raises(errors.NotFound):
        ask(server, lambda c: c.with_raw_response.searches.get("srch_a"))


def test_a_raw_response_shows_neither_headers_nor_bytes(ask: Ask) -> None:
    raw = ask(Recording(accepted()), lambda c: c.with_raw_response.searches.create("Why?"))
    shown = repr(raw)
    assert "secret" not in shown
    assert "content" not in shown


def test_a_file_that_was_written_has_a_raw_response(ask: Ask, tmp_path: Path) -> None:
    form = {"Content-Type": "text/csv; charset=utf-8"}
    server = Recording(httpx.Response(200, content=b"a,b\n", headers=HEADERS | form))
    file = tmp_path / "records.csv"
    raw = ask(server, lambda c: c.with_raw_response.jobs.export("job_a", file))
    assert (raw.status, raw.value, file.read_bytes()) == (200, file, b"a,b\n")


def test_one_page_of_a_list_has_a_raw_response(ask: Ask) -> None:
    page = {"searches": [RUNNING], "has_more": False, "next_cursor": None}
    server = Recording(httpx.Response(200, json=page))
    raw = ask(server, lambda c: c.with_raw_response.searches.list(limit=1, timeout=3))
    assert [search.id for search in raw.value] == ["srch_a"]


def test_many_answers_have_no_raw_response(ask: Ask) -> None:
    with pytest.raises(AttributeError, match="page by page"):
        ask(Recording(), lambda c: c.with_raw_response.searches.iterate())
