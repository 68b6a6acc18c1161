"""When a request is sent again, how long is waited, and what a refusal becomes."""

import inspect
import re
from dataclasses import replace
from typing import Any

import pytest

from citegrid import errors
from citegrid.transport.exchange import Pause, Policy, Reply, Request, Send, exchange, refusal

GET = Request("GET", "https://c.example.org/x", {}, None, repeatable=True)
PATCH = replace(GET, method="PATCH", repeatable=False)
FINE = Reply(200, {}, b"{}")
BUSY = Reply(503, {"retry-after": "7"}, b'{"error": {"code": "overloaded", "message": "No."}}')
GONE = Reply(404, {}, b'{"error": {"code": "search_not_found", "message": "No."}}')
BROKEN = errors.ConnectionFailed("broken")


class Clock:
    """Time that passes only by pausing."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def told(request: Request, *outcomes: Reply | Exception, **policy: Any) -> tuple[Any, list[float]]:
    """What the exchange returns or raises, given these outcomes of sending, and its pauses."""
    clock, pauses, left = Clock(), [], list(outcomes)
    steps = exchange(request, Policy(clock=clock, **{"jitter": lambda: 0.5, **policy}))
    try:
        effect = next(steps)
        while True:
            if isinstance(effect, Pause):
                pauses.append(effect.seconds)
                clock.now += effect.seconds
                effect = steps.send(None)
            else:
                assert isinstance(effect, Send)
                outcome = left.pop(0)
                effect = (
                    steps.throw(outcome) if isinstance(outcome, Exception) else steps.send(outcome)
                )
    except StopIteration as ended:
        assert left == []
        return ended.value, pauses
    except errors.CitegridError as error:
        assert left == []
        return error, pauses


LATE = errors.DeadlineReached("late")


@pytest.mark.parametrize(
    ("sent", "outcomes", "told_at_last"),
    [
        pytest.param(GET, [FINE], (FINE, []), id="a good answer"),
        pytest.param(GET, [*[BROKEN] * 3, FINE], (FINE, [0.25, 0.5, 1.0]), id="pauses grow"),
        pytest.param(GET, [BUSY, FINE], (FINE, [7.25]), id="Retry-After and jitter on top"),
        pytest.param(PATCH, [BROKEN], (BROKEN, []), id="what may not be sent twice"),
        pytest.param(GET, [LATE], (LATE, []), id="a deadline that was reached"),
    ],
)
def test_a_sentis_sent_again_if_that_may_help(
    sent: Request, outcomes: list[Reply | Exception], told_at_last: tuple[Any, list[float]]
) -> None:
    assert told(sent, *outcomes) == told_at_last


def test_time_that_the_server_was_asked_to_wait_comes_on_top_of_the_deadline() -> None:
    assert told(replace(GET, held_seconds=5.0), BUSY, FINE, deadline_seconds=7.0) == (FINE, [7.25])


def test_pauses_do_not_grow_without_end() -> None:
    policy = {"retries": 7, "deadline_seconds": 1000.0}
    _, pauses = told(GET, *[BROKEN] * 7, FINE, **policy)
    assert pauses[-2:] == [4.0, 4.0]


def test_a_refusal_that_lasts_is_not_tried_again() -> None:
    error, pauses = told(GET, GONE)
    assert (type(error), error.code, pauses) == (errors.NotFound, "search_not_found", [])


def test_it_gives_up_after_its_retries() -> None:
    error, pauses = told(GET, BROKEN, BROKEN, BROKEN, retries=2)
    assert (error, len(pauses)) == (BROKEN, 2)


def test_it_does_not_wait_beyond_its_deadline() -> None:
    error, pauses = told(GET, BUSY, deadline_seconds=7.0)
    assert (type(error), error.retry_after, pauses) == (errors.Overloaded, 7.0, [])


def test_a_refusal_carries_all_that_the_server_said() -> None:
    body = (
        b'{"error": {"code": "validation_failed", "message": "Wrong.", "request_id": "req_a",'
        b' "details": [{"field": "/query", "problem": "Too long."}]}}'
    )
    error = refusal(Reply(400, {}, body))
    assert type(error) is errors.BadRequest
    assert (error.code, error.message, error.status) == ("validation_failed", "Wrong.", 400)
    assert (error.request_id, error.retryable) == ("req_a", False)
    assert error.details == (errors.Detail("/query", "Too long."),)
    assert str(error) == "Wrong. /query: Too long. (validation_failed, request req_a)"


@pytest.mark.parametrize(
    ("status", "family", "retryable"),
    [
        (400, errors.BadRequest, False),
        (401, errors.Unauthenticated, False),
        (402, errors.PaymentRequired, False),
        (404, errors.NotFound, False),
        (409, errors.Conflict, False),
        (418, errors.ApiError, False),
        (429, errors.TooManyRequests, True),
        (500, errors.ApiError, False),
        (503, errors.Unavailable, True),
    ],
)
def test_an_unknown_code_is_raised_as_the_family_of_its_status(
    status: int, family: type[errors.ApiError], retryable: bool
) -> None:
    error = refusal(Reply(status, {}, b'{"error": {"code": "brand_new", "message": "No."}}'))
    assert (type(error), error.code, error.retryable) == (family, "brand_new", retryable)


def test_a_code_with_a_class_of_its_own_is_raised_as_that() -> None:
    error = refusal(Reply(403, {}, b'{"error": {"code": "api_key_scope", "message": "No."}}'))
    assert (type(error), error.code) == (errors.ApiKeyScope, "api_key_scope")


def test_a_known_code_under_another_status_is_raised_as_the_family_of_that_status() -> None:
    error = refusal(Reply(410, {}, b'{"error": {"code": "api_key_scope", "message": "No."}}'))
    assert (type(error), error.status, error.code) == (errors.ApiError, 410, "api_key_scope")


@pytest.mark.parametrize(
    "content", [b"<html>Bad gateway</html>", b"[]", b'{"error": "no"}', b"", b"[" * 100_000]
)
def test_what_did_not_come_from_the_server_is_still_an_error_with_its_status(
    content: bytes,
) -> None:
    error = refusal(Reply(502, {"x-request-id": "req_b"}, content))
    assert (type(error), error.code, error.request_id) == (errors.BadGateway, "http_502", "req_b")


def test_the_tree_in_the_docstring_names_every_class() -> None:
    ours = {n for n, c in vars(errors).items() if inspect.isclass(c) and issubclass(c, Exception)}
    tree = str(errors.__doc__).partition("CitegridError")[2].partition("What the server")[0]
    assert {*re.findall(r"\w+", tree), "CitegridError"} == ours


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        ("Fri, 31 Dec 2100 23:59:59 GMT", 86_400.0),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 0.0),
        ("9" * 400, 86_400.0),
        ("", None),
        ("-5", None),
        ("1.5", None),
        ("٣", None),
        ("soon", None),
        ("Fri, 31 Dec 99999999999 23:59:59 GMT", None),
        ("Sun, 06 Nov 1994 08:49:37 -0000", None),
    ],
)
def test_retry_after_is_a_number_or_a_date_and_a_day_at_most(
    given: str, seconds: float | None
) -> None:
    assert refusal(Reply(503, {"retry-after": given}, b"")).retry_after == seconds
