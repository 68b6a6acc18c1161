"""Corpora as the operator manages them."""

from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest

from app.core import ids
from app.core.db import Reader, Tx, value
from app.domains.library.corpora import differences
from app.domains.library.corpora import service as corpora
from app.domains.library.corpora.visits import READ, Visit
from app.domains.library.passages import retrieval, snapshots
from app.domains.library.passages.index.generation_store import NAMESPACE
from app.domains.library.passages.index.retriever import PostgresRetriever
from app.domains.library.passages.prepared import prepare
from app.domains.library.passages.store import forget_released_snapshots
from app.domains.queue.jobs import schedules, store
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.store import Job
from app.engine.pages.read import read
from app.engine.sandbox.prepare import prepare_page
from tests.databases import become_owner

URL = "https://docs.example.org/"


def visit(
    corpus_id: UUID, words: str, url: str = URL, id: UUID | None = None, title: str | None = None
) -> Visit:
    now, id = datetime.now(UTC), id or ids.new()
    page = read(f"Title\n\nThis is about {words}.\n".encode(), "text/plain", None, url)
    page = replace(page, title=title or page.title)
    prepared = prepare(corpus_id, id, url, prepare_page(page), now)
    return Visit(id=id, url=url, outcome=READ, fetched_at=now, prepared=prepared, links=())


def indexed(tx: Tx) -> int:
    return int(value(tx, "select sum(passages) from lexical_counts") or 0)


def test_a_name_is_given_once_and_known_from_then_on(tx: Tx) -> None:
    with pytest.raises(corpora.CorpusNotFound):
        corpora.refresh(tx, "manual")
    corpora.add(tx, "manual", "site", URL)
    with pytest.raises(corpora.CorpusExists):
        corpora.add(tx, "manual", "site", "https://example.org/")


def test_asking_for_a_refresh_makes_one_job_until_it_has_ended(tx: Tx) -> None:
    corpora.add(tx, "manual", "site", URL)
    first = corpora.refresh(tx, "manual")
    assert corpora.refresh(tx, "manual") == first
    jobs.cancel(tx, first)
    assert corpora.refresh(tx, "manual") != first


def test_listing_shows_what_a_corpus_holds_and_its_last_refresh(tx: Tx) -> None:
    corpus_id = corpora.add(tx, "manual", "site", URL)
    job_id = corpora.refresh(tx, "manual")
    bad = Visit(id=ids.new(), url=URL + "b", outcome="timeout", fetched_at=datetime.now(UTC))
    differences.record(tx, corpus_id, job_id, [visit(corpus_id, "settings"), bad])
    (listed,) = corpora.listing(tx, corpora.counts(tx))
    assert (listed.pages, listed.passages, listed.failed) == (1, 1, 1)
    assert listed.refresh is not None
    assert listed.refresh.job_id == job_id
    assert [(x.url, x.outcome) for x in corpora.failures(tx, "manual")] == [(URL + "b", "timeout")]


def test_a_refresh_is_not_over_when_its_next_job_is_promised_as_one_looks(
    tx: Tx, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus_id = corpora.add(tx, "manual", "site", URL)
    first, peek = corpora.refresh(tx, "manual"), store.by_id

    def late(reader: Reader, job_id: UUID) -> Job | None:
        if job_id == first:
            jobs.cancel(tx, first)
            corpora.go_on(tx, corpus_id, {"found": 2})
        return peek(reader, job_id)

    monkeypatch.setattr(store, "by_id", late)
    refresh = corpora.last_refresh(tx, "manual")
    assert refresh is not None
    assert refresh.state == "running"


def test_recording_a_visit_twice_is_recording_it_once(tx: Tx) -> None:
    corpus_id = corpora.add(tx, "manual", "site", URL)
    job_id, seen = ids.new(), visit(corpus_id, "settings")
    differences.record(tx, corpus_id, job_id, [seen])
    again = differences.record(tx, corpus_id, job_id, [seen])
    assert [x.outcome for x in again] == ["unchanged"]
    assert indexed(tx) == 1


def test_a_page_of_which_the_title_alone_changed_is_found_by_the_new_one(tx: Tx) -> None:
    corpus_id = corpora.add(tx, "manual", "site", URL)
    job_id = corpora.refresh(tx, "manual")
    first = visit(corpus_id, "settings", title="Aardvarks")
    differences.record(tx, corpus_id, job_id, [first])
    before = value(tx, "select snapshot_id from pages")
    again = visit(corpus_id, "settings", id=first.id, title="Zebras")
    (recorded,) = differences.record(tx, corpus_id, job_id, [again])
    index = PostgresRetriever(lambda: nullcontext(tx))
    df = index.stats(NAMESPACE, ["aardvark", "zebra"]).df
    assert (recorded.outcome, df) == ("indexed", {"aardvark": 0, "zebra": 1})
    after = value(tx, "select snapshot_id from pages")
    titles = [snapshots.find(tx, id).title for id in (before, after)]
    assert titles == ["Aardvarks", "Zebras"]


def test_two_pages_that_change_places_are_both_indexed(tx: Tx) -> None:
    corpus_id = corpora.add(tx, "manual", "site", URL)
    a, b = ids.new(), ids.new()
    for first, second in (("apples", "pears"), ("pears", "apples")):
        visits = [visit(corpus_id, first, URL, a), visit(corpus_id, second, URL + "b", b)]
        recorded = differences.record(tx, corpus_id, ids.new(), visits)
        assert [x.outcome for x in recorded] == ["indexed", "indexed"]


def test_removing_a_corpus_leaves_nothing_in_the_index(tx: Tx) -> None:
    corpus_id = corpora.add(tx, "manual", "site", URL, refresh_every_seconds=3600)
    job_id = corpora.refresh(tx, "manual")
    differences.record(tx, corpus_id, job_id, [visit(corpus_id, "settings")])
    assert corpora.remove(tx, "manual")
    forget_released_snapshots(tx, after_seconds=-1)
    left = [
        value(tx, "select count(*) from corpora"), value(tx, "select count(*) from pages"),
        value(tx, "select count(*) from passages"), value(tx, "select count(*) from snapshots"),
        value(tx, "select count(*) from schedules"), indexed(tx),
    ]  # fmt: skip
    assert left == [0] * 6
    job = store.by_id(tx, job_id)
    assert job is not None
    assert job.state == "cancelled"


def test_a_large_corpus_is_removed_in_steps(tx: Tx, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpora, "_PAGES_PER_STEP", 1)
    corpus_id = corpora.add(tx, "manual", "site", URL)
    two = [visit(corpus_id, "apples"), visit(corpus_id, "pears", URL + "b")]
    differences.record(tx, corpus_id, ids.new(), two)
    assert [corpora.remove(tx, "manual") for _ in range(3)] == [False, False, True]


def test_a_snapshot_that_an_answer_cites_stays_and_others_go(tx: Tx) -> None:
    corpus_id = corpora.add(tx, "manual", "site", URL)
    two = [visit(corpus_id, "apples"), visit(corpus_id, "pears", URL + "b")]
    differences.record(tx, corpus_id, ids.new(), two)
    cited = value(tx, "select snapshot_id from pages where url = %(url)s", url=URL)
    become_owner(tx)
    tx.execute("create table citations (snapshot_id uuid references snapshots)")
    tx.execute("insert into citations values (%s)", [cited])
    corpora.remove(tx, "manual")
    forget_released_snapshots(tx, after_seconds=-1)
    assert snapshots.find(tx, cited).url == URL


def test_a_snapshot_just_released_is_kept_for_who_is_about_to_cite_it(tx: Tx) -> None:
    corpus_id = corpora.add(tx, "manual", "site", URL)
    differences.record(tx, corpus_id, ids.new(), [visit(corpus_id, "apples")])
    corpora.remove(tx, "manual")
    assert forget_released_snapshots(tx) == 0


def test_a_due_schedule_starts_a_refresh(tx: Tx) -> None:
    corpora.add(tx, "manual", "site", URL, refresh_every_seconds=3600)
    tx.execute("update schedules set next_tick = now() - interval '1 minute'")
    assert schedules.tick(tx) == 1
    assert value(tx, "select kind from jobs") == "corpora.refresh"


def test_passages_come_in_the_order_asked_and_the_gone_are_left_out(tx: Tx) -> None:
    corpus_id = corpora.add(tx, "manual", "site", URL)
    two = [visit(corpus_id, "apples"), visit(corpus_id, "pears", URL + "b")]
    differences.record(tx, corpus_id, ids.new(), two)
    first, second = sorted(x[0] for x in tx.execute("select id from passages").fetchall())
    found = retrieval.passages(tx, [second, 999_999, first])
    assert [x.id for x in found] == [second, first]
    assert found[1].domain == "docs.example.org"
