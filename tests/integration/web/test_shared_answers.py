"""A link to an answer: who has it and is signed in reads it, until its owner stops sharing."""

import re

import pytest
from flask import Flask

from app.core import db, ids
from app.core.ids import Noun
from tests import builders
from tests.integration.web.test_ask_pages import OWLS, ask, upload
from tests.visiting import Visitor

DOUBT = """update searches set result = result || '{"confidence": 0.3}' where id = %s"""
EXPIRE = "update searches set expires_at = now() where id = %s"
CLOSE = {
    "disabled_at": """update accounts set disabled_at = now()
                      where id = (select account_id from searches where id = %s)""",
    "erase_at": """update accounts set deletion_requested_at = now(), erase_at = now() + '1 day'
                   where id = (select account_id from searches where id = %s)""",
}


@pytest.fixture
def answered(site: Flask, browser: Visitor) -> str:
    """The address of an answer from a document of the owner's."""
    upload(site, browser, "handbook", "owls.md", OWLS)
    address = ask(browser, "How many eggs are in the clutch of a barn owl?")
    builders.work(site.extensions["settings"], address.rpartition("/")[2])
    return address


def shared(browser: Visitor, answered: str) -> str:
    """The path of its link."""
    assert browser.post(f"{answered}/share").status_code == 303
    [path] = re.findall(r'id="shared" href="[^"]*(/shared/[^"]+)"', browser.get(answered).text)
    return str(path)


def test_who_has_the_link_reads_the_answer_and_its_quotes(
    browser: Visitor, stranger: Visitor, answered: str
) -> None:
    path = shared(browser, answered)
    page = stranger.get(path)
    assert page.status_code == 200
    assert "four to seven eggs" in page.text
    assert "Quote found" in page.text
    assert stranger.get(answered).status_code == 404
    assert stranger.get(f"{answered}/snapshots/1/view").status_code == 404


def test_a_perhaps_is_told_to_those_with_whom_it_is_shared(
    browser: Visitor, stranger: Visitor, answered: str
) -> None:
    path = shared(browser, answered)
    with db.transaction() as tx:
        tx.execute(DOUBT, [ids.internal(Noun.SEARCH, answered.rpartition("/")[2])])
    assert "but may not answer it" in stranger.get(path).text


def test_nobody_reads_it_without_the_link_or_without_an_account(
    site: Flask, browser: Visitor, stranger: Visitor, answered: str
) -> None:
    path = shared(browser, answered)
    assert stranger.get(f"{path}x").status_code == 404
    assert stranger.get(f"{path.rpartition('/')[0]}/None").status_code == 404
    assert Visitor(site, None).get(path).status_code in (302, 303, 401)


def test_only_the_owner_shares(stranger: Visitor, browser: Visitor, answered: str) -> None:
    assert stranger.post(f"{answered}/share").status_code == 404
    assert stranger.post(f"{answered}/unshare").status_code == 404
    assert "/shared/" not in browser.get(answered).text


def test_shared_twice_it_has_one_link_and_after_an_end_another(
    browser: Visitor, stranger: Visitor, answered: str
) -> None:
    path = shared(browser, answered)
    assert shared(browser, answered) == path
    browser.post(f"{answered}/unshare")
    assert stranger.get(path).status_code == 404
    assert shared(browser, answered) != path


@pytest.mark.parametrize("since", ["disabled_at", "erase_at"])
def test_what_an_account_shares_is_closed_while_it_is_disabled_or_leaves(
    browser: Visitor, stranger: Visitor, answered: str, since: str
) -> None:
    path = shared(browser, answered)
    with db.transaction() as tx:
        tx.execute(CLOSE[since], [ids.internal(Noun.SEARCH, answered.rpartition("/")[2])])
    assert stranger.get(path).status_code == 404


def test_what_has_no_answer_yet_cannot_be_shared(browser: Visitor) -> None:
    assert browser.post(f"{ask(browser, 'What is an owl?')}/share").status_code == 404


def test_an_answer_past_its_retention_is_gone_for_all(
    browser: Visitor, stranger: Visitor, answered: str
) -> None:
    path = shared(browser, answered)
    with db.transaction() as tx:
        tx.execute(EXPIRE, [ids.internal(Noun.SEARCH, answered.rpartition("/")[2])])
    assert stranger.get(path).status_code == 404
