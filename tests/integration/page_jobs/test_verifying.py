"""Quotes checked on the page itself: by a job, and over HTTP."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from app.core import db
from app.domains.records.page_jobs.verification import verifications
from tests import builders
from tests.integration.page_jobs.reading import Workshop, lamp

VERIFY = "/v1/extract/verify"


@pytest.fixture
def owner(shop: Workshop) -> dict[str, str]:
    """Who has a record of the page /lamp, at 9.50."""
    shop.site.pages["/lamp"] = lamp("Lamp", 9.5)
    shop.submit(shop.urls("/lamp"))
    shop.work()
    with db.transaction() as tx:
        key = builders.api_key(tx, shop.settings, shop.account_id, ("jobs",))
    return {"X-API-Key": key}


def test_the_stored_text_answers_without_waiting_for_the_page(
    client: FlaskClient, shop: Workshop, owner: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    waiting = client.application.extensions["waiting"]
    monkeypatch.setattr(
        waiting, "until", lambda _id, read, _done, seconds: (waits.append(seconds), read())[1]
    )
    body = {"url": shop.site.url + "/lamp", "quote": "$9.50"}
    answer = client.post(VERIFY, json=body, headers=owner)
    assert (answer.json["stored"]["result"], answer.json["live"], waits) == ("found", None, [0.0])


def verified(
    client: FlaskClient,
    shop: Workshop,
    owner: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    path: str = "/lamp",
) -> dict[str, Any]:
    """What checking the price comes to, once a worker has looked."""
    monkeypatch.setattr(verifications, "WAIT_SECONDS", 0.0)
    body = {"url": shop.site.url + path, "quote": "$9.50"}
    accepted = client.post(VERIFY, json=body, headers=owner)
    assert accepted.status_code == 202
    assert accepted.json["status"] == "running"
    shop.work()
    found: dict[str, Any] = client.get(accepted.headers["Location"], headers=owner).json
    assert found["status"] == "completed"
    return found


def test_what_stands_where_it_stood_is_found(
    client: FlaskClient, shop: Workshop, owner: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = verified(client, shop, owner, monkeypatch)
    assert answer["stored"]["result"] == answer["live"]["result"] == "found"
    assert answer["live"]["fetched_at"].endswith("Z")
    assert answer["live_error"] is None


def test_what_changed_is_shown_with_its_difference(
    client: FlaskClient, shop: Workshop, owner: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.site.pages["/lamp"] = lamp("Lamp", 9.9)
    answer = verified(client, shop, owner, monkeypatch)
    assert answer["stored"]["result"] == "found"
    assert (answer["live"]["result"], answer["live"]["nearest"]) == ("changed", "$9.90")
    assert answer["live"]["difference"] == "- $9.50\n+ $9.90"


def test_a_page_that_is_not_there_any_more_has_lost_its_quote(
    client: FlaskClient, shop: Workshop, owner: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    del shop.site.pages["/lamp"]
    assert verified(client, shop, owner, monkeypatch)["live"] == {"result": "gone"}


def test_a_permanent_redirect_moves_a_quote(
    client: FlaskClient, shop: Workshop, owner: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.site.pages["/new"] = lamp("Lamp", 9.5)
    shop.site.pages["/lamp"] = (301, {"Location": shop.site.url + "/new"}, b"")
    live = verified(client, shop, owner, monkeypatch)["live"]
    assert (live["result"], live["moved_to"]) == ("moved", shop.site.url + "/new")


def test_a_page_that_cannot_be_read_is_no_answer(
    client: FlaskClient, shop: Workshop, owner: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.site.pages["/lamp"] = (500, {}, b"")
    answer = verified(client, shop, owner, monkeypatch)
    assert (answer["live"], answer["live_error"]) == (None, "http_500")


def test_an_address_that_nobody_read_has_no_stored_text(
    client: FlaskClient, shop: Workshop, owner: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.site.pages["/other"] = lamp("Lamp", 9.5)
    answer = verified(client, shop, owner, monkeypatch, "/other")
    assert (answer["stored"], answer["live"]["result"]) == (None, "found")
