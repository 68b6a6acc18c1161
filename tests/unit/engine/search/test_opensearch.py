"""OpenSearch's own: what is sent, what is believed, and what is done with refusals."""

import logging
from pathlib import Path

import pytest

from app.engine.search.interface import Filter, IndexedPassage, LexQuery
from app.engine.search.opensearch.client import Cluster
from app.engine.search.opensearch.requests import index_body, matching
from app.engine.search.opensearch.retriever import OpenSearchRetriever
from app.engine.search.remote import IndexFailed
from tests.opensearch import StandIn, opensearch
from tests.patience import PATIENCE_SECONDS
from tests.unit.engine.fetch.certificates import certificate_for

ALPHA = LexQuery((("alpha", 1.0),))


@pytest.fixture
def server() -> StandIn:
    with opensearch() as server:
        yield server


@pytest.fixture
def retriever(server: StandIn) -> OpenSearchRetriever:
    return OpenSearchRetriever(Cluster(server.url), seconds=PATIENCE_SECONDS)


def filled(retriever: OpenSearchRetriever, *texts: str) -> OpenSearchRetriever:
    retriever.upsert("ns", [IndexedPassage(i, "s", text) for i, text in enumerate(texts, 1)])
    return retriever


def test_texts_are_split_at_spaces_and_nothing_else_is_done_to_terms() -> None:
    settings = index_body()["settings"]["index"]
    assert settings["analysis"]["analyzer"]["split"] == {
        "type": "custom",
        "tokenizer": "whitespace",
    }
    assert settings["similarity"]["ours"] == {"type": "BM25", "k1": 1.2, "b": 0.75}


def test_a_document_holds_terms_and_not_the_text(
    server: StandIn, retriever: OpenSearchRetriever
) -> None:
    passage = IndexedPassage(7, "s", "The running dogs", language="en", domain="docs.a.org")
    retriever.upsert("ns", [passage])
    document = server.indexes["citegrid-ns"].documents["7"]
    assert document["terms"] == "run dog"
    assert document["domains"] == ["docs.a.org", "a.org", "org"]
    assert "text" not in document


def test_an_index_somebody_else_has_made_is_used(
    server: StandIn, retriever: OpenSearchRetriever
) -> None:
    filled(OpenSearchRetriever(Cluster(server.url)), "alpha")
    filled(retriever, "alpha", "beta")
    assert list(server.indexes["citegrid-ns"].documents) == ["1", "2"]


def test_a_large_upsert_goes_in_several_requests(
    server: StandIn, retriever: OpenSearchRetriever
) -> None:
    retriever.upsert("ns", [IndexedPassage(i, "s", "alpha") for i in range(1_201)])
    assert len(server.indexes["citegrid-ns"].documents) == 1_201
    assert len(server.bulks()) == 3


def test_a_query_has_no_more_clauses_than_are_allowed() -> None:
    query = LexQuery(tuple((f"t{i}", 1.0) for i in range(5_000)))
    assert len(matching(query, Filter())["bool"]["should"]) == 1_000


def test_hits_and_statistics_of_one_query_take_one_request(
    server: StandIn, retriever: OpenSearchRetriever
) -> None:
    reading = filled(retriever, "alpha", "beta").read("ns", ["alpha"])
    before = len(server.exchanges)
    hits, stats = reading.lexical(ALPHA, 10), reading.stats(["alpha"])
    assert ([hit.passage_id for hit in hits], stats.n, stats.df) == ([1], 2, {"alpha": 1})
    assert len(server.exchanges) == before + 1


def test_only_passages_with_all_terms_of_a_phrase_are_found_for_it(
    retriever: OpenSearchRetriever,
) -> None:
    reading = filled(retriever, "alpha", "alpha beta", "alpha gamma").read("ns", [])
    hits = reading.lexical(ALPHA, 10, None, [[["alpha", "beta"], ["alpha", "delta"]]])
    assert [hit.passage_id for hit in hits] == [2]


def test_a_server_that_is_away_is_said_to_be() -> None:
    with opensearch() as server:
        pass
    with pytest.raises(IndexFailed, match="unreachable"):
        OpenSearchRetriever(Cluster(server.url)).stats("ns")


@pytest.mark.parametrize(
    ("status", "reason"),
    [(401, "denied"), (403, "denied"), (429, "busy"), (503, "busy"), (500, "broken"),
     (302, "refused"), (400, "refused")],
)  # fmt: skip
def test_an_error_is_told_by_its_kind(
    server: StandIn, retriever: OpenSearchRetriever, status: int, reason: str
) -> None:
    server.failures["_msearch"] = [status]
    with pytest.raises(IndexFailed, match=reason):
        retriever.lexical("ns", ALPHA, 10)


def test_a_search_that_some_shards_did_not_answer_is_no_answer(
    server: StandIn, retriever: OpenSearchRetriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(retriever, "alpha")
    monkeypatch.setattr("tests.opensearch._SHARDS", {"total": 2, "successful": 1, "failed": 1})
    with pytest.raises(IndexFailed, match="part of the index"):
        retriever.lexical("ns", ALPHA, 10)


def test_an_answer_that_is_too_large_is_not_read(server: StandIn) -> None:
    server.padding = 100_000
    with pytest.raises(IndexFailed, match="too large"):
        Cluster(server.url, max_bytes=50_000).version(5.0)


def test_an_answer_of_another_shape_is_a_failure_of_the_server(
    retriever: OpenSearchRetriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(retriever, "alpha")
    monkeypatch.setattr("tests.opensearch._Handler._search", lambda *_: {"hits": "none"})
    with pytest.raises(IndexFailed, match="unknown form"):
        retriever.lexical("ns", ALPHA, 10)


def test_a_hanging_server_is_given_up_in_time(
    server: StandIn, retriever: OpenSearchRetriever
) -> None:
    release = server.hang("_msearch")
    try:
        with pytest.raises(IndexFailed, match="slow"):
            OpenSearchRetriever(Cluster(server.url), seconds=0.1).stats("ns")
    finally:
        release.set()


def test_a_password_is_sent_and_shown_nowhere(
    server: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    cluster = Cluster(server.url, username="indexer", password="open-sesame")
    server.failures[""] = [500]
    with caplog.at_level(logging.DEBUG), pytest.raises(IndexFailed) as failed:
        cluster.version(5.0)
    assert server.exchanges[0].headers["authorization"].startswith("Basic ")
    assert "sesame" not in f"{failed.value!r} {cluster!r} {caplog.text}"
    assert "opensearch" not in {record.name for record in caplog.records}


def test_a_certificate_is_checked(tmp_path: Path) -> None:
    certificate = certificate_for("localhost", tmp_path)
    with opensearch(certificate.server) as server:
        url = server.url.replace("127.0.0.1", "localhost")
        with pytest.raises(IndexFailed, match="unreachable"):
            Cluster(url).version(5.0)
        own = Cluster(url, ca_file=str(tmp_path / "localhost.pem"))
        assert own.version(5.0) == "opensearch 2.19.1"


def test_a_namespace_cannot_leave_its_index() -> None:
    retriever = OpenSearchRetriever(Cluster("http://127.0.0.1:9"))
    with pytest.raises(ValueError, match="namespace"):
        retriever.stats("../_all")
