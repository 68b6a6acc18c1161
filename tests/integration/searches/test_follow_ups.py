"""A search that follows another one is searched for with the question of that one."""

import pytest

from app.core import db
from tests.integration.searches.asking import Asking

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
    listed = asking.get().json["searches"]
    assert [search.get("follows") for search in listed] == [follow_up["follows"], None]
    with db.transaction() as tx:
        tx.execute("update searches set expires_at = now() where query = %s", [FIRST])
    assert asking.get(f"/{follow_up['id']}").json["follows"]["query"] == FIRST


@pytest.mark.parametrize("followed", [UNKNOWN, "srch_1", "job_" + "a" * 26])
def test_what_is_no_search_cannot_be_followed(asking: Asking, followed: str) -> None:
    answer = asking.post({"query": THEN, "follows": followed})
    assert answer.status_code == 400
    assert answer.json["error"]["details"] == [
        {"field": "/follows", "problem": "Must be the id of a search of yours."}
    ]


def test_a_search_of_another_account_is_none(asking: Asking, stranger: Asking) -> None:
    theirs = stranger.submit(FIRST)
    answers = [asking.post({"query": THEN, "follows": id}) for id in (theirs, UNKNOWN)]
    assert [answer.status_code for answer in answers] == [400, 400]
    assert answers[0].json["error"]["details"] == answers[1].json["error"]["details"]
