"""The contract of a Retriever, on Postgres, beside the in-memory oracle."""

import json
import tarfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core import db
from app.domains.library.passages import service
from app.domains.library.passages.index import compaction, compaction_store, lexical_store
from app.domains.library.passages.index.generation_store import NAMESPACE, OF_ACCOUNTS
from app.domains.library.passages.index.postings import FULL, POSTING, SMALL, unpacked
from app.domains.library.passages.index.retriever import PostgresRetriever, analyse, write
from app.engine.search.interface import Filter, Hit, IndexedPassage, LexQuery
from app.engine.search.query import parse
from app.engine.text import analysis
from bench.memory_retriever import MemoryRetriever
from tests.databases import become_owner
from tests.integration.passages.test_rebuilding import compact

CRANFIELD = Path(__file__).parents[4] / "shared" / "data" / "cranfield.tar.xz"
WORDS = ["alpha", "beta", "gamma", "delta", "kappa", "sigma", "omega", "theta", "lambda", "zeta"]


@pytest.fixture
def index(database: str) -> PostgresRetriever:
    return PostgresRetriever(db.reading, begin=db.transaction)


def passage(id: int, text: str, source: str = "", **facts: object) -> IndexedPassage:
    return IndexedPassage(id, source or f"s{id}", text, language="en", **facts)  # type: ignore[arg-type]


def query(*terms: str, excluded: tuple[str, ...] = ()) -> LexQuery:
    return LexQuery(tuple((term, 1.0) for term in terms), excluded)


def same(found: list[Hit], expected: list[Hit]) -> bool:
    return [hit.passage_id for hit in found] == [hit.passage_id for hit in expected] and [
        hit.score for hit in found
    ] == pytest.approx([hit.score for hit in expected], rel=1e-5)


texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=30).map(" ".join)
changes = st.lists(
    st.one_of(
        st.tuples(st.just("upsert"), st.lists(st.tuples(st.integers(1, 12), texts), max_size=5)),
        st.tuples(st.just("delete"), st.lists(st.integers(0, 4), max_size=3)),
        st.tuples(st.just("compact"), st.just([])),
    ),
    max_size=8,
)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    history=changes,
    asked=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4, unique=True),
    ns=st.sampled_from(["ns", f"{OF_ACCOUNTS}1"]),
    small=st.sampled_from([8, 60, SMALL]),
)
def test_hits_scores_and_stats_are_those_of_the_oracle_after_any_history(
    index: PostgresRetriever,
    history: list[tuple[str, list]],
    asked: list[str],
    ns: str,
    small: int,
) -> None:
    with db.transaction() as tx:
        become_owner(tx)
        tx.execute(
            "truncate lexical_generations, lexical_counts, lexical_passages, lexical_dead,"
            " lexical_fresh, lexical_blocks"
        )
    oracle = MemoryRetriever()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compaction, "SMALL", small)
        for what, items in history:
            if what == "upsert":
                batch = [passage(i, text, source=f"s{i % 5}") for i, text in items]
                index.upsert(ns, batch)
                oracle.upsert(ns, batch)
            elif what == "delete":
                index.delete(ns, [f"s{i}" for i in items])
                oracle.delete(ns, [f"s{i}" for i in items])
            else:
                compact()
    terms = [analysis.terms(word, "en")[0] for word in asked]
    assert same(index.lexical(ns, query(*terms), 10), oracle.lexical(ns, query(*terms), 10))
    found, expected = index.stats(ns, terms), oracle.stats(ns, terms)
    assert (found.n, found.df) == (expected.n, expected.df)
    assert found.avgdl == pytest.approx(expected.avgdl)


@pytest.mark.skipif(not CRANFIELD.exists(), reason="the Cranfield collection is not here")
def test_hits_on_real_text_are_those_of_the_oracle(index: PostgresRetriever) -> None:
    docs, queries = ([json.loads(line) for line in lines(name)] for name in ("docs", "queries"))
    oracle = MemoryRetriever()
    for first in range(0, 400, 50):
        batch = [
            passage(number, doc["text"], title=doc["title"] or "")
            for number, doc in enumerate(docs[first : first + 50], first)
        ]
        index.upsert("ns", batch)
        oracle.upsert("ns", batch)
    for asked in queries[:25]:
        wanted = parse(asked["text"], language="en").lexical()
        assert same(index.lexical("ns", wanted, 100), oracle.lexical("ns", wanted, 100))


def lines(name: str) -> list[bytes]:
    with tarfile.open(CRANFIELD) as archive:
        member = archive.extractfile(f"cranfield/{name}.jsonl")
        assert member is not None
        return member.read().splitlines()


def test_languages_are_those_of_most_living_passages(index: PostgresRetriever) -> None:
    texts = [
        IndexedPassage(i, f"s{i}", "alpha", language=x)
        for i, x in enumerate(["de", "en", "en", "fr", "fr", "fr", None])
    ]
    index.upsert(NAMESPACE, texts)
    index.delete(NAMESPACE, ["s3", "s4", "s0"])
    with db.transaction() as tx:
        assert lexical_store.languages(tx, NAMESPACE) == ["en", "fr"]


OLD, NEW = datetime(2020, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)


def test_writers_at_once_neither_deadlock_nor_lose_a_count(
    index: PostgresRetriever,
) -> None:
    def write(writer: int) -> None:
        for batch in range(8):
            first = 1000 * writer + 10 * batch
            words = WORDS[writer:] + WORDS[:writer]
            text = " ".join(words)
            index.upsert("ns", [passage(first + i, text, f"w{writer}") for i in range(5)])
            if batch % 3 == 2:
                index.delete("ns", [f"w{writer}"])
                compact()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(1, 5)))
    stats = index.stats("ns", ["alpha"])
    hits = index.lexical("ns", query("alpha"), 1000)
    assert (stats.n, stats.df["alpha"], len(hits)) == (40, 40, 40)


def test_a_writer_waits_for_no_other(index: PostgresRetriever) -> None:
    index.upsert("ns", [passage(9, "alpha")])
    with db.transaction() as tx:
        write(tx, "ns", analyse([passage(1, "alpha")]), fresh=True)
        with db.transaction() as other:
            other.execute("set local lock_timeout = '100ms'")
            analysed = analyse([passage(2, "alpha")])
            write(other, "ns", analysed, fresh=True)
    assert index.stats("ns", ["alpha"]).df["alpha"] == 3


def test_compaction_leaves_one_block_per_term_and_nobody_dead(
    index: PostgresRetriever,
) -> None:
    for id in range(1, 8):
        index.upsert("ns", [passage(id, "alpha beta")])
    index.delete("ns", ["s3"])
    before = index.lexical("ns", query("alpha"), 9)
    compact()
    with db.transaction() as tx:
        blocks = [bytes(x) for x in db.values(tx, "select postings from lexical_blocks")]
        assert db.value(tx, "select count(*) from lexical_dead") == 0
    assert [sorted(unpacked(x, POSTING)["passage"]) for x in blocks] == [[1, 2, 4, 5, 6, 7]] * 2
    assert index.lexical("ns", query("alpha"), 9) == before


def test_a_few_dead_among_many_stay_out_of_hits_without_a_sweep(
    index: PostgresRetriever,
) -> None:
    index.upsert("ns", [passage(id, "alpha") for id in range(1, 50)])
    index.delete("ns", ["s3"])
    compact()
    with db.transaction() as tx:
        assert db.value(tx, "select count(*) from lexical_dead") == 1
    assert len(index.lexical("ns", query("alpha"), 99)) == 48


def test_a_frequent_term_has_full_blocks_and_one_that_is_not(
    index: PostgresRetriever,
) -> None:
    for first in (1, 301):
        index.upsert("ns", [passage(id, "alpha") for id in range(first, first + 300)])
        compact()
    with db.transaction() as tx:
        blocks = db.values(tx, "select length(postings) from lexical_blocks order by part = 0")
    assert blocks == [FULL * 8, FULL * 8, 120 * 8]
    assert len(index.lexical("ns", query("alpha"), 1000)) == 600


def test_a_light_compaction_waits_until_there_is_enough_to_merge(
    index: PostgresRetriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "LIGHTLY", 4)
    merged = []
    for id in range(1, 5):
        index.upsert("ns", [passage(id, "alpha")])
        with db.transaction() as tx:
            merged.append(service.compact(tx, lightly=True) is not None)
    assert merged == [False, False, False, True]
    assert [hit.passage_id for hit in index.lexical("ns", query("alpha"), 9)] == [1, 2, 3, 4]


def test_statistics_without_dead_passages_are_had_without_reading_postings(
    index: PostgresRetriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.upsert("ns", [passage(id, "alpha beta") for id in range(1, 5)])
    compact()
    index.upsert("ns", [passage(5, "alpha")])
    monkeypatch.delattr(PostgresRetriever, "read")
    assert index.stats("ns", ["alpha", "beta", "gamma"]).df == {"alpha": 5, "beta": 4, "gamma": 0}


def test_ids_that_lie_far_apart_are_scored_alike(index: PostgresRetriever) -> None:
    oracle = MemoryRetriever()
    batch = [passage(id, "alpha beta " * (id % 7)) for id in (1, 5_000_003, 900_000_005)]
    for retriever in (index, oracle):
        retriever.upsert("ns", batch)
        retriever.delete("ns", ["s5000003"])
    asked = query("beta", "alpha")
    assert same(index.lexical("ns", asked, 9), oracle.lexical("ns", asked, 9))


def test_the_best_of_many_are_those_of_the_oracle(index: PostgresRetriever) -> None:
    oracle = MemoryRetriever()
    batch = [passage(id, "alpha " * (id * 7 % 31) + "beta " * (id % 13)) for id in range(1, 2_000)]
    for retriever in (index, oracle):
        retriever.upsert("ns", batch)
    asked = query("alpha", "beta")
    for k in (1, 3, 40, 1_998):
        assert same(index.lexical("ns", asked, k), oracle.lexical("ns", asked, k))


def test_rewritten_postings_take_no_more_room_once_room_is_made(
    index: PostgresRetriever,
) -> None:
    index.upsert("ns", [passage(id, " ".join(WORDS)) for id in range(1, 200)])
    sizes = []
    for id in range(200, 240):
        index.upsert("ns", [passage(id, " ".join(WORDS))])
        compact()
        with db.reading() as reader:
            compaction_store.vacuum(reader)
            sizes.append(db.value(reader, "select pg_relation_size('lexical_blocks')"))
    assert sizes[-1] <= 2 * sizes[0]


def test_a_passage_holds_all_terms_of_one_reading_of_a_phrase(
    index: PostgresRetriever,
) -> None:
    index.upsert("ns", [passage(1, "alpha beta"), passage(2, "alpha gamma"), passage(3, "alpha")])
    phrase = [["alpha", "beta"], ["alpha", "gamma"]]
    read = index.read("ns", ["alpha", "beta", "gamma"])
    hits = read.lexical(query("alpha"), 9, phrases=[phrase])
    assert {hit.passage_id for hit in hits} == {1, 2}


def test_a_filter_that_lets_little_through_is_asked_about_every_candidate(
    index: PostgresRetriever,
) -> None:
    index.upsert("ns", [passage(id, "alpha alpha") for id in range(1, 80)])
    index.upsert("ns", [passage(80, "alpha", corpus="wanted")])
    hits = index.lexical("ns", query("alpha"), 2, Filter(corpora=("wanted",)))
    assert [hit.passage_id for hit in hits] == [80]


def test_a_filter_that_lets_little_through_finds_it_far_below_the_best(
    index: PostgresRetriever,
) -> None:
    oracle = MemoryRetriever()
    batch = [
        passage(id, "alpha " * (id % 9 + 1), domain=f"h{id % 80}.a_b.org") for id in range(1, 600)
    ]
    for retriever in (index, oracle):
        retriever.upsert("ns", batch)
        retriever.delete("ns", ["s159"])
    for where in (
        Filter(include_domains=("h79.a_b.org",)),
        Filter(exclude_domains=tuple(f"h{n}.a_b.org" for n in range(79))),
        Filter(include_domains=("axb.org",)),
    ):
        for k in (4, 3_000):
            found = index.lexical("ns", query("alpha"), k, where)
            assert same(found, oracle.lexical("ns", query("alpha"), k, where))


def test_a_character_that_stands_for_any_in_a_pattern_stands_for_itself_in_a_domain(
    index: PostgresRetriever,
) -> None:
    index.upsert("ns", [passage(1, "alpha", domain="x.axb.org")])
    where = Filter(include_domains=("a_b.org",))
    assert index.lexical("ns", query("alpha"), 9, where) == []


def test_readers_see_every_passage_while_blocks_are_merged(
    index: PostgresRetriever,
) -> None:
    for id in range(1, 60):
        index.upsert("ns", [passage(id, "alpha beta gamma")])
    with ThreadPoolExecutor(1) as pool:
        merging = pool.submit(compact)
        counts = {len(index.lexical("ns", query("alpha"), 100))}
        while not merging.done():
            counts.add(len(index.lexical("ns", query("alpha"), 100)))
        merging.result()
    assert counts == {59}
