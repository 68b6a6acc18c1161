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


def test_one_is_forgotten_for_good(owner: Visitor, address: str) -> None:
    assert owner.post(f"{address}/forget").headers["Location"] == "/memory/me"
    assert owner.get(address).status_code == 404
    assert "No memories for me" in owner.get("/memory/me").text


def test_a_persona_is_forgotten_by_typing_its_name(owner: Visitor, address: str) -> None:
    assert 'id="confirm-problem"' in owner.post("/memory/me/forget", {"confirm": "Me"}).text
    assert TEXT in owner.get("/memory/me").text
    assert owner.post("/memory/me/forget", {"confirm": "me"}).headers["Location"] == "/memory"
    assert "No memories yet" in owner.get("/memory").text


def test_nobody_sees_the_memory_of_another(app: Flask, address: str) -> None:
    with db.transaction() as tx:
        stranger_id = builders.account(tx, "stranger@example.org")
    stranger = Visitor(app, stranger_id)
    assert TEXT not in stranger.get("/memory/me").text
    for path in (address, "/memory/me/export"):
        assert stranger.get(path).status_code == 404
    assert stranger.post(f"{address}/forget").status_code == 404
