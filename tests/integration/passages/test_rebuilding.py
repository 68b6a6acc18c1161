"""A new generation of the index, built while the old one serves."""

from datetime import UTC, datetime
from functools import partial
from uuid import UUID

import pytest

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.redis import events
from app.domains.library.passages import rebuild, service
from app.domains.library.passages.index import generation_store, retriever
from app.domains.library.passages.index.generation_store import NAMESPACE, UnfinishedGeneration
from app.domains.library.passages.index.retriever import PostgresRetriever
from app.domains.library.passages.prepared import prepare
from app.domains.library.passages.rebuild import RebuildOvertaken, promise
from app.domains.queue.jobs import service as jobs
from app.engine.pages.read import read
from app.engine.sandbox.prepare import prepare_page
from app.engine.search.interface import IndexedPassage, LexQuery
from app.engine.text import analysis
from tests.databases import become_owner
from workers.index import rebuild as worker
from workers.queue.runner import Runner

CORPUS = ids.new()


@pytest.fixture
def index(database: str) -> PostgresRetriever:
    return PostgresRetriever(db.reading)


def add(words: str, source: UUID | None = None) -> UUID:
    source = source or ids.new()
    url = f"https://docs.example.org/{source}"
    page = read(f"Title\n\nThis is about {words}.\n".encode(), "text/plain", None, url)
    now = datetime.now(UTC)
    prepared = prepare(CORPUS, source, url, prepare_page(page), now)
    with db.transaction() as tx:
        service.replace(tx, [prepared])
    return source


def begin() -> UnfinishedGeneration:
    with db.transaction() as tx:
        return rebuild.begin(tx)


def build(building: UnfinishedGeneration, most: int = 1000) -> UnfinishedGeneration:
    with db.transaction() as tx:
        waiting, _ = rebuild.unbuilt(tx, building, most)
        return rebuild.build(tx, building, retriever.analyse(waiting))


def switch(building: UnfinishedGeneration) -> None:
    with db.transaction() as tx:
        rebuild.switch(tx, building)


def found(index: PostgresRetriever, word: str) -> int:
    (term,) = analysis.terms(word, "en")
    return len(index.lexical(NAMESPACE, LexQuery(((term, 1.0),)), 99))


def compact() -> None:
    done: int | None = 0
    while done is not None:
        with db.transaction() as tx:
            done = service.compact(tx, done)


def generations() -> list[tuple[str]]:
    with db.transaction() as tx:
        return tx.execute("select state from lexical_generations order by id").fetchall()


def forget_index() -> None:
    """As if what serves had been written by an analysis that found no term."""
    with db.transaction() as tx:
        become_owner(tx)
        tx.execute("truncate lexical_fresh, lexical_blocks")
        tx.execute("update lexical_generations set analysis = 0")


def test_what_serves_is_searched_until_the_switch_and_the_new_from_then_on(
    index: PostgresRetriever,
) -> None:
    add("owls")
    forget_index()
    building = build(begin())
    before = found(index, "owls")
    switch(building)
    assert (before, found(index, "owls")) == (0, 1)


def test_a_rebuild_is_due_when_another_analysis_wrote_what_serves(
    index: PostgresRetriever,
) -> None:
    add("owls")
    forget_index()
    due = []
    with db.transaction() as tx:
        due.append(rebuild.due(tx))
    switch(build(begin()))
    with db.transaction() as tx:
        due.append(rebuild.due(tx))
    assert due == [True, False]


def test_an_empty_index_is_not_due(index: PostgresRetriever) -> None:
    with db.transaction() as tx:
        assert not rebuild.due(tx)


def test_pages_changed_while_a_rebuild_goes_on_are_right_after_it(
    index: PostgresRetriever,
) -> None:
    kept, changed, gone = add("owls"), add("owls and barns"), add("owls and mice")
    building = begin()
    add("foxes", changed)
    building = build(building, most=1)
    with db.transaction() as tx:
        service.remove(tx, [gone, kept])
    add("owls")
    while True:
        with db.transaction() as tx:
            waiting, _ = rebuild.unbuilt(tx, building, 1)
        if not waiting:
            break
        building = build(building, most=1)
    before = [found(index, word) for word in ("owls", "barns", "mice", "foxes")]
    switch(building)
    compact()
    after = [found(index, word) for word in ("owls", "barns", "mice", "foxes")]
    assert (before, after) == ([1, 0, 0, 1], [1, 0, 0, 1])
    assert index.stats(NAMESPACE).n == 2


def test_a_passage_removed_between_reading_and_building_is_not_built(
    index: PostgresRetriever,
) -> None:
    source = add("owls")
    building = begin()
    with db.transaction() as tx:
        waiting, _ = rebuild.unbuilt(tx, building)
    with db.transaction() as tx:
        service.remove(tx, [source])
    with db.transaction() as tx:
        building = rebuild.build(tx, building, retriever.analyse(waiting))
    switch(building)
    assert index.stats(NAMESPACE).n == 0


def test_the_generation_that_served_is_dropped(index: PostgresRetriever) -> None:
    add("owls")
    switch(build(begin()))
    compact()
    assert generations() == [("serving",)]
    with db.transaction() as tx:
        assert db.value(tx, "select count(distinct generation) from lexical_passages") == 1


def test_an_interrupted_rebuild_goes_on_where_it_stopped(index: PostgresRetriever) -> None:
    for _ in range(3):
        add("owls")
    stopped = build(begin(), most=2)
    assert begin().position == stopped.position


def test_there_is_one_rebuild_at_a_time(database: str) -> None:
    with db.transaction() as tx:
        assert promise(tx) == promise(tx)


def test_of_two_that_build_the_same_the_later_is_told(index: PostgresRetriever) -> None:
    add("owls")
    building = begin()
    build(building)
    with db.transaction() as tx, pytest.raises(RebuildOvertaken):
        rebuild.build(tx, building, [(passage(1), ["owl"])])


def test_a_switch_that_comes_too_late_changes_nothing(index: PostgresRetriever) -> None:
    add("owls")
    building = begin()
    build(building)
    with pytest.raises(RebuildOvertaken):
        switch(building)
    assert found(index, "owls") == 1


def test_a_rebuild_whose_job_fails_is_dropped(index: PostgresRetriever) -> None:
    add("owls")
    with db.transaction() as tx:
        job_id = promise(tx)
    build(begin())
    with db.transaction() as tx:
        jobs.cancel(tx, job_id)
    compact()
    assert generations() == [("serving",)]


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A job of the rebuild adds one passage."""
    monkeypatch.setattr(worker, "SLICE_SECONDS", 0.0)
    monkeypatch.setattr(rebuild, "unbuilt", partial(rebuild.unbuilt, most=1))


@pytest.mark.usefixtures("small_steps")
def test_a_rebuild_goes_on_from_job_to_job(settings: Settings, index: PostgresRetriever) -> None:
    for _ in range(3):
        add("owls")
    forget_index()
    with db.transaction() as tx:
        promise(tx)
    runner = Runner(settings, "w:1:1", events.Publisher(events.connect(settings.redis_url)))
    worked = 0
    while True:
        with db.reading() as reader:
            job = rebuild.unfinished_job(reader)
        if job is None:
            break
        runner.run([job.id])
        worked += 1
    assert (found(index, "owls"), generations(), worked) == (3, [("serving",)], 5)


def test_a_rebuild_by_an_older_analysis_is_begun_anew(index: PostgresRetriever) -> None:
    add("owls")
    build(begin())
    with db.transaction() as tx:
        tx.execute("update lexical_generations set analysis = 0 where state = 'building'")
    assert begin().position == 0


def test_a_rebuild_waits_for_whoever_is_writing(index: PostgresRetriever) -> None:
    add("owls")
    with db.transaction() as tx:
        retriever.remove(tx, NAMESPACE, ["any"])
        with db.transaction() as other:
            other.execute("set local lock_timeout = '50ms'")
            with pytest.raises(Exception, match="lock timeout"):
                generation_store.alone(other, NAMESPACE)


def passage(id: int) -> IndexedPassage:
    return IndexedPassage(id, "s", "owl", language="en")


PROBE = """The max_connections of Dr. O'Brien's C++ servers: 1,033 re-indexed U.S. naïve cafés.
Die Straßenbahnhaltestellen wurden größer. Les élèves étaient déjà arrivés. Los niños corrían.
Быстрые лисы прыгают. 日本語の文章です。 ภาษาไทย कि हिन्दी में लिखा है العربية maxAge --no-cache"""


def test_the_version_of_the_analysis_is_raised_with_it() -> None:
    """When it fails: raise `ANALYSIS` in passages/index/retriever.py, mend the digest."""
    terms = [analysis.terms(PROBE, code) for code in ("en", "de", "fr", "es", "ru", "ja", None)]
    digest = sum(retriever.postings.term_of(x) for own in terms for x in own) % 10**9
    assert (retriever.ANALYSIS, digest) == (2, 826_827_382)
