"""OpenSearch's own: what is sent, and what is done with refusals."""

import pytest

from app.engine.origin import Origin, OriginFailed
from app.engine.retrieval.interface import Filter, IndexedPassage, LexQuery
from app.engine.retrieval.opensearch import OpenSearchRetriever
from app.engine.retrieval.opensearch_requests import index_body, matching
from app.engine.text.analysis import Analyzer
from tests.opensearch import opensearch

ANALYZER = Analyzer()


def test_texts_are_split_at_spaces_and_nothing_else_is_done_to_terms() -> None:
    settings = index_body(None)["settings"]["index"]
    assert settings["analysis"]["analyzer"]["split"] == {
        "type": "custom",
        "tokenizer": "whitespace",
    }
    assert settings["similarity"]["ours"] == {"type": "BM25", "k1": 1.2, "b": 0.75}


def test_an_index_without_vectors_asks_for_no_plugin() -> None:
    assert "vector" not in index_body(None)["mappings"]["properties"]


def test_a_document_holds_terms_and_not_the_text() -> None:
    with opensearch() as (url, indexes):
        retriever = OpenSearchRetriever(Origin(url), ANALYZER)
        retriever.upsert("ns", [IndexedPassage(7, "s", "The running dogs", language="en")])
        assert indexes["citegrid-ns"]["7"]["terms"] == "run dog"
        assert "text" not in indexes["citegrid-ns"]["7"]


def test_an_index_somebody_else_has_made_is_used() -> None:
    with opensearch() as (url, indexes):
        indexes["citegrid-ns"] = {}
        OpenSearchRetriever(Origin(url), ANALYZER).upsert("ns", [IndexedPassage(1, "s", "alpha")])
        assert list(indexes["citegrid-ns"]) == ["1"]


def test_a_large_upsert_goes_in_several_requests() -> None:
    with opensearch() as (url, indexes):
        retriever = OpenSearchRetriever(Origin(url), ANALYZER)
        retriever.upsert("ns", [IndexedPassage(i, "s", "alpha") for i in range(1_201)])
        assert len(indexes["citegrid-ns"]) == 1_201


def test_a_query_has_no_more_clauses_than_are_allowed() -> None:
    asked = LexQuery(tuple((f"t{i}", 1.0) for i in range(5_000)))
    assert len(matching(asked, Filter())["bool"]["should"]) == 1_000


def test_a_server_that_is_away_is_said_to_be() -> None:
    with opensearch() as (url, _):
        pass
    with pytest.raises(OriginFailed, match="unreachable"):
        OpenSearchRetriever(Origin(url), ANALYZER).stats("ns")


def test_a_namespace_cannot_leave_its_index() -> None:
    retriever = OpenSearchRetriever(Origin("http://127.0.0.1:9"), ANALYZER)
    with pytest.raises(ValueError, match="namespace"):
        retriever.stats("../_all")
