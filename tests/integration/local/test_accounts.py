"""What the operator does with accounts, over the whole application."""

import zipfile
from pathlib import Path

import pytest
from click.testing import Result
from flask import Flask
from flask.testing import FlaskClient

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.ids import Noun
from app.domains.account.accounts.service import account_by_email
from app.domains.account.accounts.sign_in import callers
from app.domains.account.audit import store as audit_store
from app.domains.money.ledger import service as ledger
from app.domains.queue.jobs import service as jobs
from tests import builders
from tests.integration.local.conftest import Run

ADA = "ada@example.org"
SEARCH = "/external/v1/search"


@pytest.fixture
def key(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Headers of an account, which no cache remembers between two requests."""
    monkeypatch.setattr(callers.cache, "put", lambda *_: None)
    with db.transaction() as tx:
        account = builders.account(tx, ADA)
        return {"X-API-Key": builders.api_key(tx, settings, account)}


def told(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_disabled_account_is_listed_as_such_and_refused(
    run: Run, client: FlaskClient, key: dict[str, str]
) -> None:
    with db.transaction() as tx:
        bob = ids.public(Noun.ACCOUNT, builders.account(tx, "bob@example.org"))
    assert client.get(SEARCH, headers=key).status_code == 200
    told(run("accounts", "disable", ADA))
    lines = [line.split()[1:] for line in told(run("accounts", "list")).splitlines()]
    assert ["disabled", ADA] in [[state, email] for state, _, email in lines]
    assert ["enabled", bob, "bob@example.org"] in lines
    answer = client.get(SEARCH, headers=key)
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (401, "auth_revoked_token")


def test_the_unfinished_work_of_a_disabled_account_is_cancelled(
    run: Run, app: Flask, settings: Settings, key: dict[str, str]
) -> None:
    with db.transaction() as tx:
        other = {"X-API-Key": builders.api_key(tx, settings, builders.account(tx, "b@example.org"))}
    client = app.test_client()
    for headers in (key, key, other):
        client.post(SEARCH, json={"query": "q"}, headers=headers)
    assert "2 open jobs cancelled" in told(run("accounts", "disable", ADA))
    (search,) = client.get(SEARCH, headers=other).get_json()["searches"]
    assert search["status"] == "running"
    told(run("accounts", "enable", ADA))
    searches = client.get(SEARCH, headers=key).get_json()["searches"]
    assert [search["status"] for search in searches] == ["cancelled", "cancelled"]


def test_credit_that_a_disabled_account_pays_for_is_still_posted(
    run: Run, key: dict[str, str]
) -> None:
    with db.transaction() as tx:
        account = account_by_email(tx, ADA).id
        credit = jobs.enqueue(tx, ledger.CREDIT, account, {}, pending=True)
    assert "0 open jobs cancelled" in told(run("accounts", "disable", ADA))
    with db.transaction() as tx:
        assert jobs.find(tx, credit, account).state == "pending"


def test_an_account_that_is_not_there_is_named_as_such(run: Run) -> None:
    for words in (["accounts", "disable"], ["accounts", "enable"], ["keys", "create"]):
        result = run(*words, "nobody@example.org")
        assert result.exit_code == 1
        assert "account_not_found" in result.stderr


def test_everything_of_an_account_is_written_into_a_file_and_over_none(
    run: Run, key: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "ada.zip"
    assert "1 lines" not in told(run("accounts", "export", ADA, str(file)))
    assert ADA.encode() in zipfile.ZipFile(file).read("account.ndjson")
    file.write_text("mine")
    assert run("accounts", "export", ADA, str(file)).exit_code == 1
    assert file.read_text() == "mine"


def test_an_account_leaves_and_is_kept(run: Run, client: FlaskClient, key: dict[str, str]) -> None:
    told(run("accounts", "delete", ADA, "--yes"))
    assert "leaving" in told(run("accounts", "list"))
    assert client.get(SEARCH, headers=key).status_code == 401
    told(run("accounts", "keep", ADA))
    assert "leaving" not in told(run("accounts", "list"))
    assert run("accounts", "keep", ADA).exit_code == 1


FORGOTTEN, ANOTHER = "a long sentence about owls", "another sentence about barley"


def test_a_forgotten_password_is_replaced(
    run: Run, client: FlaskClient, settings: Settings
) -> None:
    with db.transaction() as tx:
        account = builders.account_with_password(tx, ADA, FORGOTTEN)
        token = builders.access_token(tx, settings, account)
    told(run("accounts", "reset-password", ADA, typed=f"{ANOTHER}\n{ANOTHER}\n"))
    with db.reading() as reader:
        [event] = audit_store.of_account(reader, account, "password", None, 10)
    assert (event.actor, event.action) == ("cli", "password.reset")
    bodies = [{"email": ADA, "password": password} for password in (FORGOTTEN, ANOTHER)]
    assert [client.post("/v1/tokens", json=body).status_code for body in bodies] == [401, 201]
    bearer = {"Authorization": f"Bearer {token}"}
    assert client.get("/v1/account", headers=bearer).status_code == 401


def test_a_password_that_is_weak_or_nobodys_is_not_set(run: Run, key: dict[str, str]) -> None:
    for email, password, code in (
        (ADA, "12345678", "common"),
        ("nobody@example.org", ANOTHER, "account_not_found"),
    ):
        result = run("accounts", "reset-password", email, typed=f"{password}\n{password}\n")
        assert (result.exit_code, code in result.output) == (1, True)
