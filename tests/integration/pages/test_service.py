"""Copies of pages: kept, confirmed, replaced, withdrawn, forgotten."""

import threading
from datetime import UTC, datetime
from uuid import UUID

import pytest

from app.core import db, ids
from app.core.db import Tx
from app.domains.library.pages import service as pages
from app.domains.library.pages.store import Copy
from app.domains.library.pages.visits import SLOW, UNINDEXED, Visit
from app.domains.library.passages import store
from app.domains.library.passages.index.generation_store import NAMESPACE
from app.domains.library.passages.index.retriever import PostgresRetriever
from app.domains.library.passages.prepared import prepare
from app.engine.pages.read import read
from app.engine.sandbox.prepare import prepare_page
from app.engine.sandbox.visit import READ, UNCHANGED
from app.engine.search.interface import LexQuery
from tests.patience import PATIENCE_SECONDS
from tests.unit.engine.pages.test_language import ENGLISH, PORTUGUESE

URL = "https://a.example.org/owls"
TEXT = "# Owls\n\nThe barn owl hunts at night.\n\n## Eggs\n\nA clutch holds four to seven eggs."


def seen(url: str = URL, text: str = TEXT, *, etag: str = '"1"') -> Visit:
    page, now = read(text.encode(), "text/markdown", "utf-8", url), datetime.now(UTC)
    prepared = prepare(UNINDEXED, ids.new(), url, prepare_page(page), now)
    return Visit(url=url, outcome=READ, fetched_at=now, prepared=prepared, etag=etag)


def other(outcome: str, url: str = URL) -> Visit:
    return Visit(url=url, outcome=outcome, fetched_at=datetime.now(UTC))


def copy(tx: Tx, url: str = URL) -> Copy | None:
    return pages.copies(tx, [url], fresh_seconds=3600).get(url)


def snapshots(tx: Tx) -> set[UUID]:
    return {id for (id,) in tx.execute("select id from snapshots").fetchall()}


def test_a_passage_in_another_language_than_its_page_keeps_it(tx: Tx) -> None:
    pages.record(tx, [seen(text=f"# Timeout\n\n{ENGLISH} {ENGLISH}\n\n## Tempo\n\n{PORTUGUESE}")])
    kept = copy(tx)
    assert kept is not None
    assert {language for *_, language in kept.spans} == {None, "pt"}


def test_a_copy_is_in_no_index(tx: Tx, database: str) -> None:
    pages.record(tx, [seen()])
    assert tx.execute("select count(*) from passages").fetchone() == (0,)
    retriever = PostgresRetriever(db.reading)
    assert retriever.lexical(NAMESPACE, LexQuery((("owl", 1.0),)), 10) == []


def test_recording_twice_is_recording_once(tx: Tx) -> None:
    visit = seen()
    pages.record(tx, [visit])
    first = copy(tx)
    pages.record(tx, [visit])
    assert copy(tx) == first
    assert len(snapshots(tx)) == 1


def test_an_unchanged_page_is_fresh_again(tx: Tx) -> None:
    pages.record(tx, [seen()])
    tx.execute("update web_pages set checked_at = now() - interval '1 day'")
    pages.record(tx, [other(UNCHANGED)])
    kept = copy(tx)
    assert kept is not None
    assert kept.fresh


@pytest.mark.parametrize("outcome", [SLOW, "http_503", "http_520", "http_429", "connect_failed"])
def test_a_copy_survives_that_its_site_is_down(tx: Tx, outcome: str) -> None:
    pages.record(tx, [seen()])
    pages.record(tx, [other(outcome)])
    assert copy(tx) is not None


@pytest.mark.parametrize("outcome", ["http_404", "http_410", "noindex", "robots_disallowed"])
def test_a_withdrawn_page_loses_its_copy_and_its_snapshot(tx: Tx, outcome: str) -> None:
    pages.record(tx, [seen()])
    pages.record(tx, [other(outcome)])
    store.forget_released_snapshots(tx, after_seconds=-1)
    assert copy(tx) is None
    assert snapshots(tx) == set()


def test_a_replaced_snapshot_is_forgotten_and_the_new_one_is_not(tx: Tx) -> None:
    pages.record(tx, [seen()])
    pages.record(tx, [seen(text=TEXT.replace("seven", "nine"))])
    store.forget_released_snapshots(tx, after_seconds=-1)
    kept = copy(tx)
    assert kept is not None
    assert snapshots(tx) == {kept.snapshot_id}


def test_searches_that_keep_the_same_pages_at_once_do_not_get_stuck(database: str) -> None:
    urls = [f"https://a.example.org/{i}" for i in range(40)]
    rounds, together = (
        [urls[i : i + 8] for i in range(0, 40, 8)],
        threading.Barrier(2, timeout=PATIENCE_SECONDS),
    )
    failed: list[Exception] = []

    def keep(step: int) -> None:
        try:
            for some in rounds:
                visits = [seen(url) for url in some[::step]]
                together.wait()
                with db.transaction() as tx:
                    pages.record(tx, visits)
        except Exception as error:  # noqa: BLE001 - whatever it is, the test tells
            failed.append(error)

    threads = [threading.Thread(target=keep, args=(step,)) for step in (1, -1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    with db.transaction() as tx:
        assert len(pages.copies(tx, urls, fresh_seconds=60)) == 40
