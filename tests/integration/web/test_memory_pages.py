"""Memory as pages: approved, read, corrected, forgotten; no text in any address."""

import json

import pytest

from tests.integration.web.conftest import Dashboard
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
def address(browser: Visitor) -> str:
    """Of a memory."""
    assert browser.post("/memory", MEMORY).headers["Location"] == "/memory/me"
    page = browser.get("/memory/me").text
    return "/memory/me/" + page.split('href="/memory/me/mem_')[1].split('"')[0].join(["mem_", ""])


def test_without_the_approval_nothing_is_stored(browser: Visitor) -> None:
    unapproved = {name: value for name, value in MEMORY.items() if name != "approved"}
    answer = browser.post("/memory", unapproved)
    assert answer.status_code == 422
    assert 'id="approved-problem"' in answer.text
    assert TEXT in answer.text
    assert "No memories yet" in browser.get("/memory").text


@pytest.mark.parametrize("name", ["", "../me"])
def test_a_name_that_is_none_is_told_at_its_field(browser: Visitor, name: str) -> None:
    answer = browser.post("/memory", {**MEMORY, "persona_id": name})
    assert answer.status_code == 422
    assert 'id="persona_id-problem"' in answer.text


def test_what_is_kept_is_shown_and_exported(browser: Visitor, address: str) -> None:
    page = browser.get("/memory/me").text
    for text in (TEXT, "Approved by you", "<code>owls</code>"):
        assert text in page
    assert "Nothing matches this filter" in browser.get("/memory/me?type=event").text
    with browser.get("/memory/me/export") as file:
        assert json.loads(file.data)["content"] == TEXT


def test_a_corrected_memory_keeps_what_it_was(browser: Visitor, address: str) -> None:
    changed = {**MEMORY, "content": "Keeps an owl called Athena"}
    assert browser.post(address, changed).headers["Location"] == "/memory/me"
    page = browser.get(address).text
    assert "Athena" in page
    assert TEXT in page.partition("Previous versions")[2]


def test_a_corrected_text_keeps_the_time_at_which_it_expires(
    dashboard: Dashboard,
) -> None:
    body = {"source": "user_approved", "type": "fact", "content": TEXT}
    until = {"expires_at": "2090-01-01T18:30:00Z"}
    made = dashboard.api("POST", "/v1/personas/me/memory", {**body, **until}).json["memory"]
    dashboard.owner.post(f"/memory/me/{made['id']}", {**MEMORY, "content": "Another"})
    kept = dashboard.api("GET", f"/v1/personas/me/memory/{made['id']}").json["memory"]
    assert (kept["content"], kept["expires_at"]) == ("Another", until["expires_at"])


def test_one_is_forgotten_for_good(browser: Visitor, address: str) -> None:
    assert browser.post(f"{address}/forget").headers["Location"] == "/memory/me"
    assert browser.get(address).status_code == 404
    assert "No memories for me" in browser.get("/memory/me").text


def test_a_persona_is_forgotten_by_typing_its_name(browser: Visitor, address: str) -> None:
    refused = browser.post("/memory/me/forget", {"confirm": "Me"}).text
    assert 'id="confirm-problem"' in refused
    assert 'href="/memory/me?type=fact"' in refused
    assert TEXT in browser.get("/memory/me").text
    assert browser.post("/memory/me/forget", {"confirm": "me"}).headers["Location"] == "/memory"
    assert "No memories yet" in browser.get("/memory").text
