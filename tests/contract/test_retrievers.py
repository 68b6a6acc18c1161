"""What every Retriever promises, kept by the one in memory, on Postgres and on OpenSearch.

OpenSearch is a stand-in here (tests/opensearch.py); `make interop` asks a real server the same.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core import db
from app.domains.library.passages.index.retriever import PostgresRetriever
from app.engine.search.interface import Filter, Hit, IndexedPassage, LexQuery, Retriever
from app.engine.search.opensearch.client import Cluster
from app.engine.search.opensearch.retriever import OpenSearchRetriever
from app.engine.text import analysis
from bench.memory_retriever import MemoryRetriever
from tests.opensearch import opensearch

WORDS = ["alpha", "beta", "gamma", "delta", "kappa", "sigma", "omega", "theta", "lambda", "zeta"]
MAY = datetime(2026, 5, 1, tzinfo=UTC)
JUNE = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture(params=["memory", "postgres", "opensearch"])
def make(request: pytest.FixtureRequest) -> Iterator[Callable[[], tuple[Retriever, str]]]:
    """The retriever, and with every call the name of a namespace nobody has used."""
    with ExitStack() as stack:
        if request.param == "memory":
            retriever: Retriever = MemoryRetriever()
        elif request.param == "postgres":
            request.getfixturevalue("database")
            retriever = PostgresRetriever(db.reading, begin=db.transaction)
        else:
            server = stack.enter_context(opensearch())
            retriever = OpenSearchRetriever(Cluster(server.url))
        names = (f"ns{i}" for i in range(10_000))
        yield lambda: (retriever, next(names))


@pytest.fixture
def space(make: Callable[[], tuple[Retriever, str]]) -> tuple[Retriever, str]:
    return make()


def passage(id: int, text: str, source: str = "", **facts: Any) -> IndexedPassage:
    return IndexedPassage(id, source or f"s{id}", text, **{"language": "en", **facts})


def query(*terms: str, excluded: tuple[str, ...] = ()) -> LexQuery:
    return LexQuery(tuple((term, 1.0) for term in terms), excluded)


def ids(hits: list[Hit]) -> list[int]:
    return [hit.passage_id for hit in hits]


def found(space: tuple[Retriever, str], where: Filter | None = None, *terms: str) -> list[int]:
    retriever, ns = space
    return sorted(ids(retriever.lexical(ns, query(*(terms or ("alpha",))), 100, where)))


def filled(space: tuple[Retriever, str], *held: IndexedPassage) -> tuple[Retriever, str]:
    space[0].upsert(space[1], held)
    return space


texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=60).map(" ".join)
changes = st.lists(
    st.one_of(
        st.tuples(st.just("upsert"), st.lists(st.tuples(st.integers(1, 12), texts), max_size=5)),
        st.tuples(st.just("delete"), st.lists(st.integers(0, 4), max_size=3)),
    ),
    max_size=6,
)


@pytest.mark.parametrize("make", ["opensearch"], indirect=True)
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(history=changes, asked=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4, unique=True))
def test_hits_scores_and_stats_are_those_of_the_oracle_after_any_history(
    make: Callable[[], tuple[Retriever, str]],
    history: list[tuple[str, list[Any]]],
    asked: list[str],
) -> None:
    retriever, ns = make()
    oracle, base = MemoryRetriever(), 100 * int(ns.removeprefix("ns"))
    for what, items in history:
        if what == "upsert":
            batch = [passage(base + i, text, source=f"s{i % 5}") for i, text in items]
            retriever.upsert(ns, batch)
            oracle.upsert(ns, batch)
        else:
            retriever.delete(ns, [f"s{i}" for i in items])
            oracle.delete(ns, [f"s{i}" for i in items])
    terms = [analysis.terms(word, "en")[0] for word in asked]
    hits = retriever.lexical(ns, query(*terms), 10)
    expected = oracle.lexical(ns, query(*terms), 10)
    assert ids(hits) == ids(expected)
    assert [x.score for x in hits] == pytest.approx([x.score for x in expected], rel=1e-5)
    stats, truth = retriever.stats(ns, terms), oracle.stats(ns, terms)
    assert (stats.n, stats.df) == (truth.n, truth.df)
    assert stats.avgdl == pytest.approx(truth.avgdl)


def test_nothing_is_found_where_nothing_was_stored(space: tuple[Retriever, str]) -> None:
    retriever, ns = space
    assert retriever.lexical(ns, query("alpha"), 10) == []
    assert retriever.stats(ns, ["alpha"]).n == 0


def test_an_upsert_done_twice_is_done_once(space: tuple[Retriever, str]) -> None:
    filled(space, passage(1, "alpha beta"))
    filled(space, passage(1, "alpha beta"))
    assert space[0].stats(space[1], ["alpha"]).n == 1


def test_of_two_passages_with_one_id_the_later_stays(space: tuple[Retriever, str]) -> None:
    filled(space, passage(1, "alpha"), passage(1, "gamma"))
    assert found(space) == []
    assert found(space, None, "gamma") == [1]


def test_a_replaced_passage_changes_its_source(space: tuple[Retriever, str]) -> None:
    filled(space, passage(1, "alpha", "a"))
    filled(space, passage(1, "alpha", "b"))
    space[0].delete(space[1], ["a"])
    assert found(space) == [1]


def test_deleting_takes_every_passage_of_a_source(space: tuple[Retriever, str]) -> None:
    filled(space, passage(1, "alpha", "a"), passage(2, "alpha", "a"), passage(3, "alpha", "b"))
    space[0].delete(space[1], ["a", "never"])
    assert found(space) == [3]


def test_deleting_where_nothing_was_stored_is_no_error(space: tuple[Retriever, str]) -> None:
    space[0].delete(space[1], ["never"])


def test_namespaces_are_apart(make: Callable[[], tuple[Retriever, str]]) -> None:
    filled(make(), passage(1, "alpha"))
    assert found(make()) == []


def test_ties_come_by_smaller_id(space: tuple[Retriever, str]) -> None:
    filled(space, *(passage(i, "alpha") for i in (3, 1, 2)))
    assert ids(space[0].lexical(space[1], query("alpha"), 2)) == [1, 2]


def test_an_excluded_term_bars_a_passage(space: tuple[Retriever, str]) -> None:
    filled(space, passage(1, "alpha"), passage(2, "alpha beta"))
    assert ids(space[0].lexical(space[1], query("alpha", excluded=("beta",)), 9)) == [1]


def test_a_weight_counts_a_term_twice(space: tuple[Retriever, str]) -> None:
    retriever, ns = filled(space, passage(1, "alpha"), passage(2, "beta"))
    once = retriever.lexical(ns, LexQuery((("alpha", 1.0),)), 1)[0].score
    twice = retriever.lexical(ns, LexQuery((("alpha", 2.0),)), 1)[0].score
    assert twice == pytest.approx(2 * once)


def test_titles_and_headings_are_found(space: tuple[Retriever, str]) -> None:
    filled(space, passage(1, "beta", title="alpha", headings=("gamma",)))
    assert found(space) == found(space, None, "gamma") == [1]


FACTS = (
    passage(1, "alpha", domain="example.org", published_at=JUNE, corpus="a"),
    passage(2, "alpha", domain="docs.example.org", published_at=MAY, corpus="b"),
    passage(3, "alpha", domain="notexample.org", fetched_at=JUNE, language="de-AT"),
    passage(4, "alpha", language=None),
)


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (Filter(include_domains=("example.org",)), [1, 2]),
        (Filter(include_domains=("docs.example.org",)), [2]),
        (Filter(exclude_domains=("example.org",)), [3, 4]),
        (Filter(published_after=JUNE), [1]),
        (Filter(fetched_after=MAY), [3]),
        (Filter(languages=("de",)), [3]),
        (Filter(languages=("en-GB", "de")), [1, 2, 3]),
        (Filter(corpora=("a", "b")), [1, 2]),
        (Filter(include_domains=("example.org",), published_after=JUNE), [1]),
        (Filter(), [1, 2, 3, 4]),
    ],
)
def test_a_filter_lets_through_what_it_says(
    space: tuple[Retriever, str], where: Filter, expected: list[int]
) -> None:
    assert found(filled(space, *FACTS), where) == expected


def test_statistics_ignore_the_filter(space: tuple[Retriever, str]) -> None:
    retriever, ns = filled(space, *FACTS)
    (alone,) = retriever.lexical(ns, query("alpha"), 9, Filter(corpora=("a",)))
    scores = {x.passage_id: x.score for x in retriever.lexical(ns, query("alpha"), 9)}
    assert alone.score == pytest.approx(scores[1])
