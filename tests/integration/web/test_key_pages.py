"""Pages of API keys: the secret is shown once, and what is shown with it works."""

import shlex
from typing import Any

import pytest

from app.core import db
from app.core.http.idempotency import IdempotencyInProgress, IdempotencyKey
from app.web.frame import operations
from tests.integration.web.conftest import Dashboard
from tests.visiting import part

KEY_ID = r"key_[a-z2-7]{26}"
FORM = {"name": "laptop", "scopes": ["search"], "life": "90"}


def _make(dashboard: Dashboard, **fields: object) -> tuple[str, str]:
    """The id and the secret of a new key."""
    page = dashboard.owner.post("/api-keys", {**FORM, **fields})
    assert page.status_code == 201
    return part(KEY_ID, page), part(r"cgk_live_\w+", page)


def test_without_a_key_the_list_is_the_form(dashboard: Dashboard) -> None:
    page = dashboard.other.get("/api-keys")
    assert "No API keys yet" in page.text
    assert 'action="/api-keys"' in page.text


def test_a_secret_is_shown_once_with_a_call_that_works(dashboard: Dashboard) -> None:
    page = dashboard.owner.post("/api-keys", FORM)
    call = part(r"curl -sf .*?cgk_live_\w+&#34;", page)
    _, _, address, _, header = shlex.split(call.replace("&#34;", '"'))
    name, _, secret = header.partition(": ")
    path = address.removeprefix(dashboard.settings.service_base_url)
    assert dashboard.app.test_client().get(path, headers={name: secret}).status_code == 200
    listed = dashboard.owner.get("/api-keys").text
    assert secret not in listed
    assert f"cgk_live_…{secret[-4:]}" in listed


def test_a_form_sent_again_meanwhile_waits_for_the_first(
    dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    recall, pauses = IdempotencyKey.recall, list[float]()

    def busy(key: IdempotencyKey, tx: db.Tx) -> Any:
        if not pauses:
            raise IdempotencyInProgress(retry_after=1)
        return recall(key, tx)

    monkeypatch.setattr(IdempotencyKey, "recall", busy)
    monkeypatch.setattr(operations, "sleep", pauses.append)
    _make(dashboard, name="patient", key="of-a-double-click")
    assert len(pauses) == 1


def test_the_same_form_sent_twice_makes_one_key(dashboard: Dashboard) -> None:
    first, second = (_make(dashboard, name="twice", key="of-the-form") for _ in range(2))
    assert first == second
    assert dashboard.owner.get("/api-keys").text.count(">twice<") == 1


def test_a_form_without_scopes_is_shown_again_with_its_name(dashboard: Dashboard) -> None:
    page = dashboard.owner.post("/api-keys", {"name": "kept", "life": "30"})
    assert page.status_code == 422
    assert page.text.count('id="scopes-problem"') == 1
    assert 'value="kept"' in page.text


def test_a_key_is_renamed_and_rolled_with_an_overlap(dashboard: Dashboard) -> None:
    key_id, secret = _make(dashboard)
    path = f"/api-keys/{key_id}"
    dashboard.owner.post(path, {"name": "renamed", "scopes": ["jobs"]})
    assert "renamed" in dashboard.owner.get(path).text
    rolled = dashboard.owner.post(f"{path}/roll", {"overlap_hours": "24"})
    assert rolled.status_code == 201
    assert f"ending in <code>{secret[-4:]}" in rolled.text
    assert "Being replaced" in dashboard.owner.get(path).text
    assert dashboard.owner.post(f"{path}/roll", {"overlap_hours": "9999"}).status_code == 422


def test_a_key_is_revoked_once_its_last_characters_were_typed(dashboard: Dashboard) -> None:
    key_id, secret = _make(dashboard, name="to be revoked")
    path = f"/api-keys/{key_id}/revoke"
    assert dashboard.owner.post(path, {"last_four": "nope"}).status_code == 422
    answer = dashboard.owner.post(path, {"last_four": secret[-4:]})
    assert answer.headers["Location"] == "/api-keys?revoked=1"
    page = dashboard.owner.get(f"/api-keys/{key_id}").text
    assert "Revoked" in page
    assert "Roll key" not in page


def test_the_last_active_key_may_be_revoked_with_a_warning(dashboard: Dashboard) -> None:
    key_id = part(KEY_ID, dashboard.other.post("/api-keys", FORM))
    assert "last active key" in dashboard.other.get(f"/api-keys/{key_id}").text


def test_a_key_is_limited_to_a_corpus(dashboard: Dashboard) -> None:
    assert "Limit to corpora" not in dashboard.owner.get("/api-keys/new").text
    made = dashboard.owner.post("/documents", {"name": "the handbook"})
    corpus_id = made.headers["Location"].rpartition("/")[2]
    assert "Limit to corpora" in dashboard.owner.get("/api-keys/new").text
    key_id, _ = _make(dashboard, corpora=[corpus_id])
    assert "<dd>the handbook</dd>" in dashboard.owner.get(f"/api-keys/{key_id}").text
    dashboard.owner.post(f"/api-keys/{key_id}", {"name": "renamed", "scopes": ["search"]})
    dashboard.owner.post(f"/documents/{corpus_id}/delete")
    assert "<dd>a deleted corpus</dd>" in dashboard.owner.get(f"/api-keys/{key_id}").text
    wider = dashboard.owner.post("/api-keys", {**FORM, "scopes": ["jobs"], "corpora": ["gone"]})
    assert wider.status_code == 422
