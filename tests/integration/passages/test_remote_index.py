"""An index outside of Postgres: built, told of changes whatever fails, and searched."""

from dataclasses import replace

import pytest

from app.core import db
from app.core.config.settings import Settings
from app.domains.library.passages import change_store, changes
from app.engine.search import remote_server
from app.engine.search.interface import IndexedPassage
from app.engine.search.query import parse
from app.engine.search.remote import Addition, IndexFailed, Removal
from tests import builders
from tests.opensearch import StandIn
from tests.remote_index import ALIAS, add, rebuild, remove, run, same, served
from workers.index import build
from workers.index.changes import IndexUnavailable, promise
from workers.searches import indexes
from workers.searches.candidates import retrieve
from workers.searches.web_pages import WebPages


def find(settings: Settings, words: str) -> indexes.IndexMatches:
    return indexes.find(settings, parse(words, ["en"]), 10)


def test_a_built_index_holds_what_postgres_holds_and_answers(
    built: Settings, server: StandIn
) -> None:
    assert same(server)
    found = find(built, "owls")
    assert (len(found.hits), found.stats.n, found.warnings) == (1, 3, ())
    assert server.exchanges[-1].path == f"/{ALIAS}/_msearch"


def test_it_finds_what_postgres_finds_with_the_same_scores(built: Settings) -> None:
    here, there = find(replace(built, index_url=""), "owls barley"), find(built, "owls barley")
    assert [hit.passage_id for hit in there.hits] == [hit.passage_id for hit in here.hits]
    assert [x.score for x in there.hits] == pytest.approx([x.score for x in here.hits], rel=1e-5)


def test_an_index_is_built_over_several_jobs(
    following: Settings, server: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "SLICE_SECONDS", 0.0)
    monkeypatch.setattr(changes, "_PER_STEP", 2)
    for i in range(5):
        add(f"owls of tree {i}")
    rebuild(following)
    assert same(server)


def test_changes_while_it_is_built_are_in_it(
    following: Settings, server: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "SLICE_SECONDS", 0.0)
    monkeypatch.setattr(changes, "_PER_STEP", 1)
    gone, kept = add("mice"), add("owls")
    run(following, changes.BUILD)  # the first passage is in it
    remove(gone)
    add("barley", kept)
    add("rye")
    rebuild(following)
    run(following, changes.SEND)
    assert same(server)


def test_searches_go_on_while_another_index_is_built(built: Settings, server: StandIn) -> None:
    former = server.aliases[ALIAS]
    with db.transaction() as tx:
        changes.begin(tx, "citegrid-")
    assert len(find(built, "owls").hits) == 1
    rebuild(built)
    assert former not in server.indexes
    assert list(server.aliases.values()).count(server.aliases[ALIAS]) == 2  # and for writing
    assert len(find(built, "owls").hits) == 1


def test_added_replaced_and_removed_pages_reach_it(built: Settings, server: StandIn) -> None:
    source = add("rye")
    add("oats", source)
    remove(add("wheat"))
    assert run(built, changes.SEND).state == "succeeded"
    assert same(server)
    assert len(find(built, "oats").hits) == 1


def test_what_was_sent_and_not_noted_is_sent_again_and_nothing_changes(
    built: Settings, server: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a crash between the two."""
    add("rye")

    def crash(*_: object) -> None:
        raise RuntimeError("the process dies here")

    with monkeypatch.context() as patched:
        patched.setattr(changes, "sent", crash)
        assert run(built, changes.SEND).state == "queued"
    before = dict(served(server).documents)
    with db.transaction() as tx:
        tx.execute("delete from jobs where kind = 'index.send'")
    assert run(built, changes.SEND).state == "succeeded"
    assert server.bulks()[-1].answer["items"][0]["index"]["status"] == 409
    assert served(server).documents == before
    assert same(server)


def test_what_arrives_late_does_not_bring_back_what_is_gone(
    built: Settings, server: StandIn
) -> None:
    source = add("rye")
    run(built, changes.SEND)
    late = server.bulks()[-1].body
    remove(source)
    run(built, changes.SEND)
    opened = remote_server.opened(built)
    assert opened is not None
    passage = IndexedPassage(late[1]["id"], str(source), "rye")
    version = late[0]["index"]["version"]
    with db.reading() as reader:
        [index] = change_store.current(reader)
    opened.index(index.name).apply([Addition(passage, ["rye"], version)])
    assert same(server)


@pytest.mark.parametrize("status", [429, 503, 500])
def test_a_server_that_takes_nothing_is_asked_again(
    built: Settings, server: StandIn, status: int
) -> None:
    add("rye")
    server.failures["_bulk"] = [status]
    job = run(built, changes.SEND)
    assert (job.state, job.attempt) == ("queued", 1)
    with db.transaction() as tx:
        tx.execute("update jobs set run_at = now()")
    builders.run(built, [job.id])
    assert same(server)


def test_a_bulk_of_which_a_part_is_not_taken_is_sent_again(
    built: Settings, server: StandIn
) -> None:
    add("rye")
    add("oats")
    refused = [429]
    server.item_status = lambda id: refused.pop() if refused else None
    job = run(built, changes.SEND)
    assert job.state == "queued"
    with db.transaction() as tx:
        tx.execute("update jobs set run_at = now()")
    builders.run(built, [job.id])
    assert same(server)


def test_a_passage_that_is_never_taken_does_not_keep_the_others(
    built: Settings, server: StandIn
) -> None:
    add("rye")
    add("oats")
    with db.reading() as reader:
        bad, good = db.values(reader, "select id::text from passages order by id desc limit 2")
    server.item_status = lambda id: 400 if id == bad else None
    assert run(built, changes.SEND).state == "succeeded"
    assert good in served(server).documents
    assert bad not in served(server).documents


def test_a_bulk_that_is_too_large_goes_in_halves(built: Settings, server: StandIn) -> None:
    add("rye")
    add("oats")
    server.failures["_bulk"] = [413]
    assert run(built, changes.SEND).state == "succeeded"
    assert [len(x.body) // 2 for x in server.bulks()[-3:]] == [2, 1, 1]
    assert same(server)


def test_an_index_that_somebody_deleted_is_not_made_anew_by_a_change(
    built: Settings, server: StandIn
) -> None:
    server.indexes.clear()
    server.aliases.clear()
    add("rye")
    assert run(built, changes.SEND).error == {
        "code": "index_unavailable",
        "message": IndexUnavailable.message(),
        "retryable": True,
    }
    assert server.indexes == {}


def test_postgres_answers_while_the_index_is_away(built: Settings, server: StandIn) -> None:
    server.failures["_msearch"] = [503]
    found = find(built, "owls")
    assert (len(found.hits), found.warnings) == (1, (indexes.AWAY,))


def test_a_search_waits_for_a_hanging_index_no_longer_than_it_may(
    built: Settings, server: StandIn
) -> None:
    hurried, release = replace(built, index_timeout_seconds=0.1), server.hang("_msearch")
    try:
        assert find(hurried, "owls").warnings == (indexes.AWAY,)
        assert find(hurried, "owls").warnings == (indexes.AWAY,)
        asked = len(server.exchanges)
        assert find(hurried, "owls").warnings == (indexes.AWAY,)
        assert len(server.exchanges) == asked  # it is left alone now
    finally:
        release.set()


def test_postgres_answers_where_the_index_is_gone(built: Settings, server: StandIn) -> None:
    server.indexes.clear()
    server.aliases.clear()
    found = find(built, "owls")
    assert (len(found.hits), found.warnings) == (1, (indexes.AWAY,))


def test_postgres_answers_until_an_index_was_built(following: Settings, server: StandIn) -> None:
    add("owls")
    found = find(following, "owls")
    assert (len(found.hits), found.warnings, server.exchanges) == (1, (), [])


def test_a_search_says_when_the_index_is_far_behind(built: Settings) -> None:
    add("rye")
    assert find(built, "owls").warnings == ()
    with db.transaction() as tx:
        tx.execute("update passage_changes set written_at = now() - interval '1 hour'")
    assert find(built, "owls").warnings == (indexes.BEHIND,)


def test_changes_are_promised_only_where_an_index_is_configured(
    built: Settings, settings: Settings
) -> None:
    add("rye")
    with db.reading() as reader:
        count = "select count(*) from jobs where kind = 'index.send' and state = 'queued'"
        promise(settings)
        assert db.value(reader, count) == 0
        promise(built)
        promise(built)
        assert db.value(reader, count) == 1


def test_a_deletion_of_what_is_not_there_is_no_failure(built: Settings, server: StandIn) -> None:
    opened = remote_server.opened(built)
    assert opened is not None
    with db.reading() as reader:
        [index] = change_store.current(reader)
    assert opened.index(index.name).apply([Removal(999, 5)]) == []


def test_an_answer_that_leaves_out_lines_is_no_answer(
    built: Settings, server: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.opensearch._Handler._bulk", lambda *_: {"items": []})
    opened = remote_server.opened(built)
    assert opened is not None
    with db.reading() as reader:
        [index] = change_store.current(reader)
    with pytest.raises(IndexFailed, match="outcomes are missing"):
        opened.index(index.name).apply([Removal(999, 5)])


def test_a_search_carries_the_warning_of_its_index(built: Settings, server: StandIn) -> None:
    server.failures["_msearch"] = [503]
    query = parse("owls", ["en"])
    options = {"depth": "quick", "max_sources": 5}
    candidates = retrieve(built, query, options, WebPages())
    assert (len(candidates.ranked), candidates.warnings) == (1, (indexes.AWAY,))
