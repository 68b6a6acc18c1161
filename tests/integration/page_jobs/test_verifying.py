"""Quotes checked on the page itself: by a job, and over HTTP."""

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient

from app.core import db
from app.domains.records.page_jobs.verification import verifications
from tests import builders
from tests.caller import Caller
from tests.integration.page_jobs.reading import Workshop, lamp

VERIFY = "/v1/extract/verify"
Verified = Callable[..., dict[str, Any]]


@pytest.fixture
def ada(client: FlaskClient, shop: Workshop) -> Caller:
    """Who has a record of the page /lamp, at 9.50."""
    shop.site.pages["/lamp"] = lamp("Lamp", 9.5)
    shop.submit(shop.urls("/lamp"))
    shop.work()
    with db.transaction() as tx:
        key = builders.api_key(tx, shop.settings, shop.account_id, ("jobs",))
    return Caller(client, {"X-API-Key": key})


def test_the_stored_text_answers_without_waiting_for_the_page(
    ada: Caller, shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    waiting = ada.client.application.extensions["waiting"]
    monkeypatch.setattr(
        waiting, "until", lambda _id, read, _done, seconds: (waits.append(seconds), read())[1]
    )
    body = {"url": shop.site.url + "/lamp", "quote": "$9.50"}
    answer = ada.post(VERIFY, body)
    assert (answer.json["stored"]["result"], answer.json["live"], waits) == ("found", None, [0.0])


@pytest.fixture
def verified(ada: Caller, shop: Workshop, monkeypatch: pytest.MonkeyPatch) -> Verified:
    """What checking the price on a page comes to, once a worker has looked."""
    monkeypatch.setattr(verifications, "WAIT_SECONDS", 0.0)

    def verified(path: str = "/lamp") -> dict[str, Any]:
        accepted = ada.post(VERIFY, {"url": shop.site.url + path, "quote": "$9.50"})
        assert (accepted.status_code, accepted.json["status"]) == (202, "running")
        shop.work()
        found: dict[str, Any] = ada.get(accepted.headers["Location"]).json
        assert found["status"] == "completed"
        return found

    return verified


def test_what_stands_where_it_stood_is_found(verified: Verified) -> None:
    answer = verified()
    assert answer["stored"]["result"] == answer["live"]["result"] == "found"
    assert answer["live"]["fetched_at"].endswith("Z")
    assert answer["live_error"] is None


def test_what_changed_is_shown_with_its_difference(shop: Workshop, verified: Verified) -> None:
    shop.site.pages["/lamp"] = lamp("Lamp", 9.9)
    answer = verified()
    assert answer["stored"]["result"] == "found"
    assert (answer["live"]["result"], answer["live"]["nearest"]) == ("changed", "$9.90")
    assert answer["live"]["difference"] == "- $9.50\n+ $9.90"


def test_a_page_that_is_not_there_any_more_has_lost_its_quote(
    shop: Workshop, verified: Verified
) -> None:
    del shop.site.pages["/lamp"]
    assert verified()["live"] == {"result": "gone"}


def test_a_permanent_redirect_moves_a_quote(shop: Workshop, verified: Verified) -> None:
    shop.site.pages["/new"] = lamp("Lamp", 9.5)
    shop.site.pages["/lamp"] = (301, {"Location": shop.site.url + "/new"}, b"")
    live = verified()["live"]
    assert (live["result"], live["moved_to"]) == ("moved", shop.site.url + "/new")


def test_a_page_that_cannot_be_read_is_no_answer(shop: Workshop, verified: Verified) -> None:
    shop.site.pages["/lamp"] = (500, {}, b"")
    answer = verified()
    assert (answer["live"], answer["live_error"]) == (None, "http_500")


def test_an_address_that_nobody_read_has_no_stored_text(shop: Workshop, verified: Verified) -> None:
    shop.site.pages["/other"] = lamp("Lamp", 9.5)
    answer = verified("/other")
    assert (answer["stored"], answer["live"]["result"]) == (None, "found")
