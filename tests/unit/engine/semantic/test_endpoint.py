"""An embeddings endpoint: asked in bounded batches, and refused whatever is not its vectors."""

import json
import socket
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from app.engine.semantic.endpoint import Endpoint
from app.engine.semantic.inference import InferenceFailed
from tests.patience import PATIENCE_SECONDS
from tests.unit.engine.fetch.loopback import Seen, Server, serving

KEY = "sk-very-secret"
GOOD = {"data": [{"index": 0, "embedding": [0.0, 3.0, 4.0]}]}


def vector_of(text: str) -> list[float]:
    return [float(len(text)), 1.0, 0.0]


def by_length(body: Any) -> Any:
    data = [{"index": i, "embedding": vector_of(text)} for i, text in enumerate(body["input"])]
    return {"data": data[::-1]}


class Service:
    """What the endpoint says next; by default vectors by length, in reverse order."""

    def __init__(self) -> None:
        self.says: Callable[[Any], Any] = by_length
        self.status = "200 OK"
        self.server: Server

    def answer(self, seen: Seen, line: socket.socket) -> None:
        said = json.dumps(self.says(json.loads(seen.body))).encode()
        head = f"HTTP/1.1 {self.status}\r\nConnection: close\r\nContent-Length: {len(said)}\r\n\r\n"
        line.sendall(head.encode() + said)

    @property
    def embedder(self) -> Endpoint:
        return Endpoint(f"http://127.0.0.1:{self.server.port}/v1", "small", 3, KEY)


@pytest.fixture
def service() -> Iterator[Service]:
    service = Service()
    with serving(service.answer) as service.server:
        yield service


def test_vectors_come_in_the_order_of_the_texts_with_length_one(service: Service) -> None:
    vectors = service.embedder.embed(["aaa", "a"], seconds=PATIENCE_SECONDS)
    wanted = np.array([vector_of("aaa"), vector_of("a")])
    wanted /= np.linalg.norm(wanted, axis=1, keepdims=True)
    assert vectors == pytest.approx(wanted)


def test_the_model_and_the_key_are_sent(service: Service) -> None:
    service.embedder.embed(["owl"], seconds=PATIENCE_SECONDS)
    seen = service.server.seen[0]
    assert (seen.path, seen.headers["authorization"]) == ("/v1/embeddings", f"Bearer {KEY}")
    assert json.loads(seen.body) == {"model": "small", "input": ["owl"], "encoding_format": "float"}


def test_many_texts_go_in_batches(service: Service) -> None:
    assert service.embedder.embed([str(i) for i in range(70)], seconds=PATIENCE_SECONDS).shape == (
        70,
        3,
    )
    assert [len(json.loads(seen.body)["input"]) for seen in service.server.seen] == [32, 32, 6]


def test_nothing_is_asked_for_no_text(service: Service) -> None:
    assert service.embedder.embed([], seconds=PATIENCE_SECONDS).shape == (0, 3)
    assert service.server.seen == []


def test_long_and_empty_texts_are_made_acceptable(service: Service) -> None:
    service.embedder.embed(["x" * 9_000, "  "], seconds=PATIENCE_SECONDS)
    assert [len(text) for text in json.loads(service.server.seen[0].body)["input"]] == [4000, 1]


@pytest.mark.parametrize(
    "answer",
    [
        None,
        {},
        {"data": []},
        {"data": [{"index": 0}]},
        {"data": [{"index": 0, "embedding": [1.0, 2.0]}]},
        {"data": [{"index": 0, "embedding": [1.0, 2.0, float("nan")]}]},
        {"data": [{"index": 0, "embedding": [1.0, 2.0, 10**400]}]},
        {"data": [{"index": 0, "embedding": [1.0, 2.0, "3"]}]},
        {"data": [{"index": 0, "embedding": [1.0, 2.0, True]}]},
        {"data": [{"index": 0, "embedding": [0.0, 0.0, 0.0]}]},
        {"data": [{"index": 0, "embedding": "AAAAAA=="}]},
        {"data": [{"index": 1, "embedding": [1.0, 2.0, 3.0]}]},
        {"data": [{"index": -1, "embedding": [1.0, 2.0, 3.0]}]},
        {"data": [{"index": "0", "embedding": [1.0, 2.0, 3.0]}]},
        {"data": ["x"]},
        {"data": [*GOOD["data"], *GOOD["data"]]},
    ],
)
def test_what_are_not_its_vectors_is_refused(service: Service, answer: Any) -> None:
    service.says = lambda body: answer
    with pytest.raises(InferenceFailed):
        service.embedder.embed(["owl"], seconds=PATIENCE_SECONDS)


def test_one_text_with_two_vectors_and_one_with_none_is_refused(service: Service) -> None:
    service.says = lambda body: {"data": [*GOOD["data"], *GOOD["data"]]}
    with pytest.raises(InferenceFailed):
        service.embedder.embed(["owl", "barn"], seconds=PATIENCE_SECONDS)


def test_after_two_failures_nobody_asks_it_for_a_while(service: Service) -> None:
    service.status, embedder = "503 Service Unavailable", service.embedder
    for _ in range(4):
        with pytest.raises(InferenceFailed):
            embedder.embed(["owl"], seconds=PATIENCE_SECONDS)
    assert len(service.server.seen) == 2


def test_refused_texts_are_not_an_outage(service: Service) -> None:
    service.status, embedder = "400 Bad Request", service.embedder
    for _ in range(4):
        with pytest.raises(InferenceFailed) as refused:
            embedder.embed(["owl"], seconds=PATIENCE_SECONDS)
        assert not refused.value.retryable
    assert len(service.server.seen) == 4


def test_the_key_shows_nowhere(service: Service) -> None:
    service.status = "401 Unauthorized"
    with pytest.raises(InferenceFailed) as refused:
        service.embedder.embed(["owl"], seconds=PATIENCE_SECONDS)
    assert KEY not in f"{refused.value!r} {service.embedder!r} {service.embedder.name}"


def test_another_model_or_length_has_another_name() -> None:
    def name(model: str, dimensions: int) -> str:
        return Endpoint("http://127.0.0.1:9/v1", model, dimensions).name

    assert len({name("a", 3), name("b", 3), name("a", 4)}) == 3
