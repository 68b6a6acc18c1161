"""A `/rerank` endpoint: two forms of question and answer, and nothing but numbers believed."""

import json
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from app.engine.semantic.inference import InferenceFailed
from app.engine.semantic.rerank_endpoint import RerankEndpoint
from tests.patience import PATIENCE_SECONDS
from tests.unit.engine.fetch.loopback import Seen, Server, serving

KEY = "sk-very-secret"
QUESTION = "What does the owl eat?"
TEI_ANSWER = [{"index": 1, "score": 0.9}, {"index": 0, "score": 0.2}]
JINA_ANSWER = {
    "model": "ranker",
    "usage": {"total_tokens": 38},
    "results": [
        {"index": 1, "relevance_score": 0.9, "document": {"text": "mice"}},
        {"index": 0, "relevance_score": 0.2, "document": {"text": "seeds"}},
    ],
}
COHERE_ANSWER = {
    "id": "07734bd2",
    "results": [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.2}],
    "meta": {"billed_units": {"search_units": 1}},
}


def by_length(body: Any) -> Any:
    texts = body.get("texts") or body["documents"]
    return [{"index": i, "score": len(text)} for i, text in enumerate(texts)][::-1]


class Service:
    """What the endpoint answers next; by default scores by length, in reverse order."""

    def __init__(self) -> None:
        self.answers: Callable[[Any], Any] = by_length
        self.status, self.headers = "200 OK", ""
        self.server: Server

    def answer(self, seen: Seen, line: socket.socket) -> None:
        body = json.dumps(self.answers(json.loads(seen.body))).encode()
        length = f"Content-Length: {len(body)}\r\n"
        head = f"HTTP/1.1 {self.status}\r\nConnection: close\r\n{self.headers}{length}\r\n"
        line.sendall(head.encode() + body)

    def reranker(self, model: str = "", fair_seconds: float = 0.0) -> RerankEndpoint:
        url = f"http://127.0.0.1:{self.server.port}/v1"
        return RerankEndpoint(url, model, KEY, fair_seconds)


@pytest.fixture
def service() -> Iterator[Service]:
    service = Service()
    with serving(service.answer) as service.server:
        yield service


def test_scores_come_in_the_order_of_the_texts(service: Service) -> None:
    assert service.reranker().scores(QUESTION, ["aaa", "a"], seconds=PATIENCE_SECONDS) == [3.0, 1.0]


@pytest.mark.parametrize("answer", [TEI_ANSWER, JINA_ANSWER, COHERE_ANSWER])
@pytest.mark.parametrize("model", ["", "ranker"])
def test_either_form_of_answer_is_read(service: Service, model: str, answer: Any) -> None:
    service.answers = lambda body: answer
    scores = service.reranker(model).scores(QUESTION, ["seeds", "mice"], seconds=PATIENCE_SECONDS)
    assert scores == [0.2, 0.9]


def test_without_a_model_it_is_asked_as_text_embeddings_inference(service: Service) -> None:
    service.reranker().scores(QUESTION, ["seeds", "mice"], seconds=PATIENCE_SECONDS)
    seen = service.server.seen[0]
    assert (seen.path, seen.headers["authorization"]) == ("/v1/rerank", f"Bearer {KEY}")
    assert json.loads(seen.body) == {
        "query": QUESTION,
        "texts": ["seeds", "mice"],
        "truncate": True,
    }


def test_with_a_model_it_is_asked_as_jina_and_cohere(service: Service) -> None:
    service.answers = lambda body: COHERE_ANSWER
    service.reranker("rerank-v3.5").scores(QUESTION, ["seeds", "mice"], seconds=PATIENCE_SECONDS)
    assert json.loads(service.server.seen[0].body) == {
        "model": "rerank-v3.5",
        "query": QUESTION,
        "documents": ["seeds", "mice"],
        "top_n": 2,
    }


def test_many_texts_go_in_batches(service: Service) -> None:
    texts = ["x" * (i + 1) for i in range(70)]
    scores = service.reranker().scores(QUESTION, texts, seconds=PATIENCE_SECONDS)
    assert scores == [float(i + 1) for i in range(70)]
    assert [len(json.loads(seen.body)["texts"]) for seen in service.server.seen] == [32, 32, 6]


def test_long_and_empty_texts_are_made_acceptable(service: Service) -> None:
    service.reranker().scores(QUESTION, ["x" * 9_000, "  "], seconds=PATIENCE_SECONDS)
    assert [len(text) for text in json.loads(service.server.seen[0].body)["texts"]] == [4000, 1]


@pytest.mark.parametrize(
    "answer",
    [
        None,
        {},
        {"results": {"0": 0.5, "1": 0.6}},
        TEI_ANSWER[:1],
        [0.2, 0.9],
        [{"score": 0.2}, {"score": 0.9}],
        [{"index": 0, "score": 0.2}, {"index": 0, "score": 0.9}],
        [{"index": 0, "score": 0.2}, {"index": 2, "score": 0.9}],
        [{"index": 0, "score": 0.2}, {"index": -1, "score": 0.9}],
        [{"index": 0, "score": 0.2}, {"index": "1", "score": 0.9}],
        [{"index": 0, "score": 0.2}, {"index": True, "score": 0.9}],
        [{"index": 0, "score": 0.2}, {"index": 1}],
        [{"index": 0, "score": 0.2}, {"index": 1, "score": "0.9"}],
        [{"index": 0, "score": 0.2}, {"index": 1, "score": True}],
        [{"index": 0, "score": 0.2}, {"index": 1, "score": float("nan")}],
        [{"index": 0, "score": 0.2}, {"index": 1, "score": 10**400}],
    ],
)
def test_what_is_not_one_number_for_each_text_is_refused(service: Service, answer: Any) -> None:
    service.answers = lambda body: answer
    with pytest.raises(InferenceFailed):
        service.reranker().scores(QUESTION, ["seeds", "mice"], seconds=PATIENCE_SECONDS)


def test_an_answer_that_is_too_large_is_refused(service: Service) -> None:
    service.answers = lambda body: [{**row, "text": "x" * 1_000_000} for row in TEI_ANSWER]
    with pytest.raises(InferenceFailed, match="broken"):
        service.reranker().scores(QUESTION, ["seeds", "mice"], seconds=PATIENCE_SECONDS)


def test_an_answer_that_does_not_come_in_time_is_not_waited_for() -> None:
    with serving(lambda seen, line: line.recv(1)) as server:
        reranker = RerankEndpoint(f"http://127.0.0.1:{server.port}", "")
        with pytest.raises(InferenceFailed, match="slow"):
            reranker.scores(QUESTION, ["seeds", "mice"], seconds=0.05)


def test_a_pause_that_it_asks_for_is_kept(service: Service) -> None:
    service.status, service.headers = "429 Too Many Requests", "Retry-After: 30\r\n"
    reranker = service.reranker()
    for _ in range(3):
        with pytest.raises(InferenceFailed):
            reranker.scores(QUESTION, ["seeds", "mice"], seconds=PATIENCE_SECONDS)
    assert len(service.server.seen) == 1
