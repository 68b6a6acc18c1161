"""A search that follows another one is searched for with the question of that one."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from app.core import db
from tests.integration.searches.asking import PATH, Asking

FIRST = "How many eggs are in a clutch of the barn owl?"
THEN = "When do they hatch?"
UNKNOWN = "srch_" + "a" * 26


def test_a_follow_up_finds_what_its_own_words_do_not(asking: Asking, owls: None) -> None:
    first = asking.ask(FIRST)
    follow_up = asking.ask(THEN, follows=first["id"])
    assert follow_up["query"] == THEN
    assert follow_up["follows"] == {"id": first["id"], "query": FIRST}
    assert "hatch after 30 days" in follow_up["result"]["answer"]
    assert "follows" not in first


def test_what_a_search_follows_is_listed_and_known_when_that_one_is_gone(
    asking: Asking, owls: None
) -> None:
    first = asking.ask(FIRST)
    follow_up = asking.ask(THEN, follows=first["id"])
    listed: list[dict[str, Any]] = asking.client.get(PATH, headers=asking.key).json["searches"]
    assert [search.get("follows") for search in listed] == [follow_up["follows"], None]
    with db.transaction() as tx:
        tx.execute("update searches set expires_at = now() where query = %s", [FIRST])
    shown = asking.client.get(f"{PATH}/{follow_up['id']}", headers=asking.key).json
    assert shown["follows"]["query"] == FIRST


@pytest.mark.parametrize("followed", [UNKNOWN, "srch_1", "job_" + "a" * 26])
def test_what_is_no_search_cannot_be_followed(asking: Asking, followed: str) -> None:
    answer = asking.client.post(PATH, json={"query": THEN, "follows": followed}, headers=asking.key)
    assert answer.status_code == 400
    assert answer.json["error"]["details"] == [
        {"field": "/follows", "problem": "Must be the id of a search of yours."}
    ]


def test_a_search_of_another_account_is_none(
    asking: Asking, client: FlaskClient, stranger: dict[str, str]
) -> None:
    theirs = client.post(PATH, json={"query": FIRST}, headers=stranger).json["id"]
    answers = [
        client.post(PATH, json={"query": THEN, "follows": id}, headers=asking.key)
        for id in (theirs, UNKNOWN)
    ]
    assert [answer.status_code for answer in answers] == [400, 400]
    assert answers[0].json["error"]["details"] == answers[1].json["error"]["details"]
