"""What the tools make of whatever the service answers; no network."""

import json
import logging
import sys
from typing import Any

import anyio
import httpx
import pytest
from agents import KEY, QUESTION, always, found, refused, unasked
from answers import COMPLETED, EXCERPT, FAILED, PAGE, RUNNING, accepted, completed, in_turn, refusal
from click.testing import CliRunner
from mcp import Client

from citegrid.cli.main import commands
from citegrid.mcp.connection import as_nobody
from citegrid.mcp.logs import Redaction
from citegrid.mcp.server import build
from citegrid.mcp.tools import results, searches, wait
from citegrid.nouns.search.search_results import Search
from citegrid.transport.codec import decode


@pytest.mark.parametrize(
    ("status", "code", "told", "again"),
    [
        (401, "auth_invalid_token", "unauthorized", False),
        (403, "forbidden", "unauthorized", False),
        (402, "payment_required", "quota_exceeded", False),
        (404, "search_not_found", "not_found", False),
        (400, "validation_failed", "validation_failed", False),
        (413, "payload_too_large", "payload_too_large", False),
        (422, "unprocessable", "unprocessable", False),
        (429, "rate_limited", "rate_limited", True),
        (500, "internal_error", "backend_error", True),
        (502, "bad_gateway", "backend_error", True),
        (503, "overloaded", "backend_error", True),
        (307, "redirect", "bad_response", False),
        (418, "teapot", "bad_response", False),
    ],
)
def test_a_refusal_of_the_service_says_what_to_do(
    status: int, code: str, told: str, again: bool
) -> None:
    text = refused(lambda _: refusal(status, code), "service_list_searches")
    assert text.startswith(f"[{told}] ")
    assert text.endswith("can be tried again." if again else "Do not try again unchanged.")


def test_a_session_that_was_ended_is_signed_in_again_and_no_key_is_to_blame() -> None:
    text = refused(lambda _: refusal(401, "auth_revoked_token"), "service_list_searches")
    assert "saved login" in text
    assert "`citegrid login`" in text


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (httpx.ConnectError("http://hunter2@"), "backend_unreachable"),
        (httpx.ReadTimeout("hunter2"), "backend_timeout"),
        (httpx.ConnectTimeout("hunter2"), "backend_timeout"),
    ],
)
def test_a_service_that_does_not_answer_is_told_in_our_own_words(
    failure: Exception, told: str
) -> None:
    def handler(_request: httpx.Request) -> httpx.Response:
        raise failure

    text = refused(handler, "service_list_searches")
    assert text.startswith(f"[{told}] ")
    assert "hunter2" not in text


@pytest.mark.parametrize("body", ["<html>hunter2</html>", "[]", '{"searches": [{"hunter2": 1}]}'])
def test_what_is_no_answer_of_the_service_is_not_repeated(body: str) -> None:
    text = refused(lambda _: httpx.Response(200, text=body), "service_list_searches")
    assert text.startswith("[bad_response] ")
    assert "hunter2" not in text


@pytest.mark.parametrize("status", [401, 402, 403, 404, 429, 500, 502])
def test_what_a_refusal_says_beyond_its_code_is_not_repeated(status: int) -> None:
    error = {"code": "odd", "message": f"{KEY} hunter2", "request_id": KEY}
    text = refused(always(status, {"error": error}), "service_list_searches")
    assert KEY not in text
    assert "hunter2" not in text


def test_a_wrong_argument_that_only_the_service_knows_is_named() -> None:
    details = [{"field": "/include_domains/0", "problem": "Not a domain."}]
    handler = in_turn(refusal(400, "validation_failed", details=details))
    text = refused(handler, "service_start_search", **QUESTION)
    assert text.count("include_domains/0: Not a domain.") == 1


def test_a_problem_that_the_message_ends_with_is_said_once() -> None:
    message = "Wrong. /query: Too long."
    details = [{"field": "/query", "problem": "Too long."}]
    error = {"code": "validation_failed", "message": message, "details": details}
    text = refused(always(400, {"error": error}), "service_start_search", **QUESTION)
    assert text.startswith(f"[validation_failed] {message} Correct the arguments.")


def test_a_form_is_explained_without_its_pattern() -> None:
    text = refused(unasked, "service_search", **QUESTION, freshness="7 days")
    assert "freshness: Must be as described: Use only pages this young" in text
    assert "[0-9]" not in text


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("service_get_campaign", {"campaign_id": "camp_a"}, "no such campaign"),
        ("service_list_corpora", {}, "no such corpus"),
        ("service_get_search", {"search_id": "srch_a"}, "no such search"),
    ],
)
def test_what_is_not_there_is_named(tool: str, arguments: dict[str, str], told: str) -> None:
    assert told in refused(lambda _: refusal(404, "not_found"), tool, **arguments)


def test_how_long_to_wait_is_passed_on() -> None:
    busy = refusal(429, "rate_limited", {"Retry-After": "90"})
    text = refused(in_turn(busy), "service_start_search", **QUESTION)
    assert "Wait 90 seconds and do not start duplicates." in text


def test_without_a_key_every_tool_says_where_to_put_it() -> None:
    async def main() -> list[Any]:
        async with Client(build(as_nobody("There is no API key."))) as client:
            id = {"search_id": "srch_a"}
            calls = [
                await client.call_tool("service_search", QUESTION),
                await client.call_tool("service_start_search", QUESTION),
                await client.call_tool("service_get_search", id),
                await client.call_tool("service_list_searches", {}),
                await client.call_tool("service_cancel_search", id),
            ]
            return [result.content[0].text for result in calls if result.is_error]

    texts = anyio.run(main)
    assert len(texts) == 5
    assert all(text.startswith("[not_configured] There is no API key.") for text in texts)
    assert all("SERVICE_API_KEY" in text for text in texts)


@pytest.mark.parametrize("tool", ["service_search", "service_start_search"])
def test_a_search_that_cannot_be_read_back_still_gives_its_id(tool: str) -> None:
    handler = in_turn(accepted(), refusal(500, "internal_error"))
    told = found(handler, tool, **QUESTION)
    assert (told["search_id"], told["status"]) == ("srch_a", "running")


def test_a_poll_that_fails_gives_what_was_known_before() -> None:
    running = httpx.Response(200, json=RUNNING)
    handler = in_turn(accepted(), running, refusal(500, "internal_error"))
    told = found(handler, "service_search", **QUESTION)
    assert (told["search_id"], told["progress"]["sources_found"]) == ("srch_a", 2)


def test_a_slow_start_takes_from_the_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searches, "MOST_CALL_SECONDS", 0)
    handler = in_turn(accepted(), httpx.Response(200, json=RUNNING))
    assert found(handler, "service_search", **QUESTION, wait_seconds=45)["status"] == "running"


def test_a_service_without_room_for_one_more_who_waits_is_not_stormed() -> None:
    asked: list[str] = []

    def handler(request: httpx.Request) -> httpx.Response:
        asked.append(request.method)
        return accepted() if request.method == "POST" else httpx.Response(200, json=RUNNING)

    found(handler, "service_search", **QUESTION, wait_seconds=1)
    assert len(asked) <= 4


class Hanging(httpx.AsyncBaseTransport):
    """Answers at once, but for long polls: those never."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "POST":
            return accepted()
        if "wait" in request.url.params:
            await anyio.sleep_forever()
        return httpx.Response(200, json=RUNNING)


def test_a_poll_that_never_comes_back_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wait, "GRACE_SECONDS", 0.0)
    told = found(Hanging(), "service_search", **QUESTION, wait_seconds=1)
    assert (told["search_id"], told["status"]) == ("srch_a", "running")


def test_a_search_that_fails_is_an_error_with_its_id_and_whether_a_new_one_may_help() -> None:
    handler = in_turn(accepted(), httpx.Response(200, json=FAILED))
    text = refused(handler, "service_search", **QUESTION)
    assert text == (
        "[deadline_exceeded] Search srch_a failed: Too late. Failed. A new search may succeed."
    )


def test_a_failed_search_that_is_read_is_no_error() -> None:
    told = found(always(200, FAILED), "service_get_search", search_id="srch_a")
    assert (told["status"], told["error_code"]) == ("failed", "deadline_exceeded")


def test_a_search_without_an_answer_is_completed_and_says_so() -> None:
    body = completed(answered=False, answer="", sources=[], citations=[])
    told = found(always(200, body), "service_get_search", search_id="srch_a")
    assert (told["status"], told["answered"]) == ("completed", False)
    assert "do not answer the question" in told["next_step"]


def test_a_perhaps_is_not_to_be_used_unread() -> None:
    body = completed(state="perhaps", confidence=0.4)
    told = found(always(200, body), "service_get_search", search_id="srch_a")
    assert (told["state"], told["confidence"]) == ("perhaps", 0.4)
    assert "may not be right" in told["next_step"]


def test_the_report_of_a_perhaps_says_so_before_the_answer() -> None:
    body = completed(state="perhaps", confidence=0.4)
    search = decode(Search, body)
    assert search.result is not None
    assert "may not be right" in results.report(search, search.result).split("\n")[2]


def test_what_the_service_does_not_know_is_an_empty_text() -> None:
    told = found(always(200, COMPLETED), "service_get_search", search_id="srch_a")
    assert told["sources"][0]["published_at"] == ""


QUOTE = {"n": 1, "headings": ["Barn owls", "Breeding"]}


def _cited(quote: str, **lead: int) -> Any:
    """What the tool gives of the source, when its page is `PAGE` and the answer cites this."""
    start = PAGE.index(quote)
    body = completed({"quote": quote, "start": start, "end": start + len(quote), **lead})
    (source,) = found(always(200, body), "service_get_search", search_id="srch_a")["sources"]
    return source


def test_what_of_a_quote_answers_is_told() -> None:
    source = _cited(PAGE, lead_start=15, lead_end=33)
    assert source["quotes"] == [{**QUOTE, "text": PAGE, "lead": "four to seven eggs"}]


def test_a_quote_that_answers_as_a_whole_is_not_told_twice() -> None:
    source = _cited("four to seven eggs", lead_start=15, lead_end=33)
    assert source["quotes"] == [{**QUOTE, "text": "four to seven eggs", "lead": ""}]


def test_excerpts_show_what_the_answer_does_not_cite() -> None:
    source = _cited("eggs", lead_start=29, lead_end=33)
    assert source["excerpts"] == [
        {
            "text": PAGE,
            "lead": "four to seven eggs",
            "headings": ["Barn owls", "Breeding"],
            "score": 1.0,
        }
    ]


def test_an_excerpt_that_is_quoted_is_not_told_twice() -> None:
    assert _cited(PAGE, lead_start=15, lead_end=33)["excerpts"] == []


def test_a_question_that_is_not_answered_has_excerpts_to_judge_by() -> None:
    unanswered = completed(answered=False, citations=[])
    told = found(always(200, unanswered), "service_get_search", search_id="srch_a")
    assert told["sources"][0]["excerpts"][0]["text"] == PAGE
    assert "Read the excerpts" in told["next_step"]


def test_a_result_of_before_there_were_excerpts_is_read() -> None:
    body = json.loads(json.dumps(COMPLETED))
    del body["result"]["sources"][0]["excerpts"]
    told = found(always(200, body), "service_get_search", search_id="srch_a")
    assert told["sources"][0]["excerpts"] == []


def _large(sources: int, quotes: int, answer: str = "Yes. [1]") -> dict[str, Any]:
    """A completed search with so many sources, and so many quotes of 1,000 characters in each."""
    (source,), (citation,) = COMPLETED["result"]["sources"], COMPLETED["result"]["citations"]
    numbers = range(1, sources + 1)
    listed = [{**source, "n": n, "excerpts": []} for n in numbers]
    cited = [{**citation, "n": n, "source": n, "quote": "q" * 1000} for n in numbers]
    return completed(
        answer=answer, sources=listed, citations=[x for x in cited for _ in range(quotes)]
    )


def test_a_long_result_is_read_in_pages_and_nothing_is_lost() -> None:
    handler, ids, told = always(200, _large(20, 10)), [], {"next_step": "source_offset 0."}
    while "source_offset" in told["next_step"]:
        offset = int(told["next_step"].rpartition("source_offset ")[2].rstrip("."))
        told = found(handler, "service_get_search", search_id="srch_a", source_offset=offset)
        ids += [source["id"] for source in told["sources"]]
        assert all(len(source["quotes"]) == 10 for source in told["sources"])
    assert ids == list(range(1, 21))


def test_a_page_can_be_chosen() -> None:
    page = {"source_offset": 4, "source_limit": 2}
    told = found(always(200, _large(20, 1)), "service_get_search", search_id="srch_a", **page)
    assert [source["id"] for source in told["sources"]] == [5, 6]
    assert (told["sources_total"], told["truncated"]) == (20, True)


def test_twenty_sources_with_as_much_as_may_be_asked_for_are_read_in_pages() -> None:
    body = _large(20, 1)
    for source in body["result"]["sources"]:
        source["excerpts"] = [{**EXCERPT, "text": "x" * 2_000}] * 2
    told = found(always(200, body), "service_get_search", search_id="srch_a")
    assert 0 < len(told["sources"]) < 20
    assert f"source_offset {len(told['sources'])}" in told["next_step"]


def test_a_source_that_does_not_fit_loses_excerpts_before_quotes() -> None:
    body = _large(1, 50)
    body["result"]["sources"][0]["excerpts"] = [{**EXCERPT, "text": "x" * 9_000}] * 2
    (source,) = found(always(200, body), "service_get_search", search_id="srch_a")["sources"]
    assert (len(source["quotes"]), len(source["excerpts"])) == (50, 0)


def test_a_source_that_does_not_fit_loses_quotes_and_the_resource_has_them() -> None:
    told = found(always(200, _large(1, 90)), "service_get_search", search_id="srch_a")
    assert 40 < len(told["sources"][0]["quotes"]) < 90
    assert "search://srch_a has all" in told["next_step"]


@pytest.mark.parametrize("character", ["a", "\n", "\u0001", "\U0001f989"])
def test_an_answer_that_does_not_fit_is_cut_and_the_report_has_it(character: str) -> None:
    body = _large(20, 10, character * 70_000)
    told = found(always(200, body), "service_get_search", search_id="srch_a")
    assert 0 < len(told["answer"]) < 70_000
    assert "search://srch_a/report has the whole" in told["next_step"]


def test_a_listed_query_is_short() -> None:
    rows = [{**RUNNING, "query": '"' * 2000}] * 100
    body = {"searches": rows, "has_more": True, "next_cursor": "cur_a"}
    told = found(always(200, body), "service_list_searches", limit=100)
    assert len(told["searches"][0]["query"]) == 200


def test_the_prompt_names_the_question() -> None:
    async def main() -> Any:
        async with Client(build(as_nobody(""))) as client:
            return await client.get_prompt("research", {"question": "Why do owls bob?"})

    (message,) = anyio.run(main).messages
    assert "Why do owls bob?" in message.content.text


def test_without_the_extra_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "citegrid.mcp.serve", None)
    ended = CliRunner().invoke(commands, ["mcp"])
    assert ended.exit_code == 1
    assert "-m pip install './client[mcp]'" in ended.output


def test_a_secret_is_not_logged_not_even_in_a_traceback() -> None:
    try:
        raise ValueError(f"{KEY} and Authorization: Bearer another")
    except ValueError as error:
        about = (type(error), error, error.__traceback__)
    record = logging.LogRecord("x", logging.ERROR, "x", 1, "failed: %s", (KEY,), about)
    Redaction([KEY, None]).filter(record)
    logged = logging.Formatter().format(record)
    assert logged.startswith("failed: ***")
    assert KEY not in logged
    assert "another" not in logged
