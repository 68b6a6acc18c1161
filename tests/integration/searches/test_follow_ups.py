"""A search that follows another one is searched for with the question of that one."""

from app.core import db
from tests.integration.searches.asking import Asking

FIRST = "How many eggs are in a clutch of the barn owl?"
THEN = "When do they hatch?"
UNKNOWN = "srch_" + "a" * 26


def test_a_follow_up_finds_what_its_own_words_do_not_and_knows_what_it_follows_when_that_is_gone(
    asking: Asking, owls: None
) -> None:
    first = asking.ask(FIRST)
    follow_up = asking.ask(THEN, follows=first["id"])
    assert follow_up["query"] == THEN
    assert follow_up["follows"] == {"id": first["id"], "query": FIRST}
    assert "hatch after 30 days" in follow_up["result"]["answer"]
    assert "follows" not in first
    listed = asking.get().json["searches"]
    assert [search.get("follows") for search in listed] == [follow_up["follows"], None]
    with db.transaction() as tx:
        tx.execute("update searches set expires_at = now() where query = %s", [FIRST])
    assert asking.get(f"/{follow_up['id']}").json["follows"]["query"] == FIRST


def test_what_is_no_search_cannot_be_followed(asking: Asking, stranger: Asking) -> None:
    for followed in (UNKNOWN, "srch_1", "job_" + "a" * 26, stranger.submit(FIRST)):
        answer = asking.post({"query": THEN, "follows": followed})
        assert answer.status_code == 400
        assert answer.json["error"]["details"] == [
            {"field": "/follows", "problem": "Must be the id of a search of yours."}
        ], followed
