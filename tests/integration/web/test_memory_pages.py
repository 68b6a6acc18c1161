"""Memory as pages: approved, read, corrected, forgotten; no text in any address."""

import json

import pytest
from flask import Flask

from app.core import db
from app.core.config.settings import Settings
from tests import builders
from tests.visiting import Visitor

TEXT = "Keeps a barn owl called Minerva"
MEMORY = {
    "persona_id": "me",
    "type": "fact",
    "content": TEXT,
    "tags": "birds, owls",
    "expires_at": "2090-01-01",
    "approved": "on",
}


@pytest.fixture
def owner(app: Flask, settings: Settings) -> Visitor:
    with db.transaction() as tx:
        account_id = builders.account(tx)
    return Visitor(app, account_id)


@pytest.fixture
def address(owner: Visitor) -> str:
    """Of a memory."""
    assert owner.post("/memory", MEMORY).headers["Location"] == "/memory/me"
    page = owner.get("/memory/me").text
    return "/memory/me/" + page.split('href="/memory/me/mem_')[1].split('"')[0].join(["mem_", ""])


def test_without_the_approval_nothing_is_stored(owner: Visitor) -> None:
    unapproved = {name: value for name, value in MEMORY.items() if name != "approved"}
    answer = owner.post("/memory", unapproved)
    assert answer.status_code == 422
    assert 'id="approved-problem"' in answer.text
    assert TEXT in answer.text
    assert "No memories yet" in owner.get("/memory").text


@pytest.mark.parametrize("name", ["", "../me"])
def test_a_name_that_is_none_is_told_at_its_field(owner: Visitor, name: str) -> None:
    answer = owner.post("/memory", {**MEMORY, "persona_id": name})
    assert answer.status_code == 422
    assert 'id="persona_id-problem"' in answer.text


def test_what_is_kept_is_shown_and_exported(owner: Visitor, address: str) -> None:
    page = owner.get("/memory/me").text
    for text in (TEXT, "Approved by you", "<code>owls</code>"):
        assert text in page
    assert "Nothing matches this filter" in owner.get("/memory/me?type=event").text
    with owner.get("/memory/me/export") as file:
        assert json.loads(file.data)["content"] == TEXT


def test_a_corrected_memory_keeps_what_it_was(owner: Visitor, address: str) -> None:
    changed = {**MEMORY, "content": "Keeps an owl called Athena"}
    assert owner.post(address, changed).headers["Location"] == "/memory/me"
    page = owner.get(address).text
    assert "Athena" in page
    assert TEXT in page.partition("Previous versions")[2]


def test_a_corrected_text_keeps_the_time_at_which_it_expires(
    app: Flask, settings: Settings
) -> None:
    with db.transaction() as tx:
        account_id = builders.account(tx)
        token = builders.access_token(tx, settings, account_id)
    api, sent = app.test_client(), {"Authorization": f"Bearer {token}"}
    body = {"source": "user_approved", "type": "fact", "content": TEXT}
    until = {"expires_at": "2090-01-01T18:30:00Z"}
    made = api.post("/v1/personas/me/memory", json={**body, **until}, headers=sent).json["memory"]
    Visitor(app, account_id).post(f"/memory/me/{made['id']}", {**MEMORY, "content": "Another"})
    kept = api.get(f"/v1/personas/me/memory/{made['id']}", headers=sent).json["memory"]
    assert (kept["content"], kept["expires_at"]) == ("Another", until["expires_at"])


def test_one_is_forgotten_for_good(owner: Visitor, address: str) -> None:
    assert owner.post(f"{address}/forget").headers["Location"] == "/memory/me"
    assert owner.get(address).status_code == 404
    assert "No memories for me" in owner.get("/memory/me").text


def test_a_persona_is_forgotten_by_typing_its_name(owner: Visitor, address: str) -> None:
    refused = owner.post("/memory/me/forget", {"confirm": "Me"}).text
    assert 'id="confirm-problem"' in refused
    assert 'href="/memory/me?type=fact"' in refused
    assert TEXT in owner.get("/memory/me").text
    assert owner.post("/memory/me/forget", {"confirm": "me"}).headers["Location"] == "/memory"
    assert "No memories yet" in owner.get("/memory").text
