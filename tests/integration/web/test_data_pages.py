"""The page to take everything out, and to delete the account."""

from uuid import UUID

import pytest
from flask import Flask

from app.core import db
from app.core.config.settings import Settings
from app.domains.account.accounts.sign_in.authentication import make_demo
from tests import builders
from tests.visiting import Visitor

EMAIL, PASSWORD = "ada@example.org", "a long sentence about owls"
DELETE = {"email": EMAIL, "password": PASSWORD}


@pytest.fixture
def account_id(app: Flask) -> UUID:
    with db.transaction() as tx:
        return builders.account_with_password(tx, EMAIL, PASSWORD)


@pytest.fixture
def ada(app: Flask, account_id: UUID) -> Visitor:
    return Visitor(app, account_id)


def test_an_export_is_requested_and_downloaded(ada: Visitor, settings: Settings) -> None:
    assert ada.post("/settings/data/export").status_code == 303
    assert "In progress" in ada.get("/settings/data").text
    with db.reading() as reader:
        [id] = db.values(reader, "select id from account_exports")
    builders.run(settings, [id])
    assert "Download" in ada.get("/settings/data", live=True).text
    file = ada.get("/settings/data/file")
    assert (file.status_code, file.data[:2]) == (200, b"PK")
    assert file.headers["Content-Disposition"].startswith("attachment")


def test_a_wrong_password_is_told_at_its_field_and_nothing_is_deleted(ada: Visitor) -> None:
    answer = ada.post("/settings/data/delete", {**DELETE, "password": "wrong"})
    assert (answer.status_code, 'id="password-problem"' in answer.text) == (422, True)
    assert 'hx-get="/settings/data"' in answer.text
    assert ada.get("/settings/data").status_code == 200


def test_money_that_is_left_is_told_where_it_can_be_given_up(
    ada: Visitor, account_id: UUID
) -> None:
    with db.transaction() as tx:
        builders.credit(tx, account_id, "2.5")
    answer = ada.post("/settings/data/delete", DELETE)
    assert answer.status_code == 422
    assert "2.5 USD of credit" in answer.text
    assert ada.post("/settings/data/delete", {**DELETE, "give_up_balance": "on"}).status_code == 303


def test_who_deleted_the_account_is_signed_out_and_told_how_to_keep_it(ada: Visitor) -> None:
    answer = ada.post("/settings/data/delete", DELETE)
    assert answer.headers["Location"] == "/sign-in?deleted=1"
    assert "Sign in to keep the account" in ada.get("/sign-in?deleted=1").text
    assert ada.get("/settings").status_code in (303, 401)


def test_the_demo_account_is_offered_no_deletion(app: Flask, ada: Visitor) -> None:
    with db.transaction() as tx:
        demo = make_demo(tx)
    text = Visitor(app, demo).get("/settings/data").text
    assert "The demo account of a local server has no password" in text
    assert "/settings/data/delete" not in text
    assert "/settings/data/delete" in ada.get("/settings/data").text
