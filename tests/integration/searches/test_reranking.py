"""Searches with a reranker on loopback: their order, its outage, its key."""

import io
import json
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.config.settings import Settings
from app.engine.search.query import parse
from app.local.doctor import models
from tests import builders
from tests.integration.searches.asking import Asking, warned
from tests.patience import PATIENCE_SECONDS
from tests.unit.engine.fetch.loopback import Seen, Server, serving
from workers.searches.candidates import retrieve
from workers.searches.rerank import reranker_of
from workers.searches.web_pages import WebPages

QUESTION = "What does the barn owl eat at night?"
KEY = "rk-very-private"
FIRST_BY_WORDS = (
    "# Nights\n\nWhat the barn owl does at night: it does not eat by day, it eats at night.\n"
)
PREFERRED = "# Prey\n\nMice are what a barn owl mostly lives on; at dusk it hunts over meadows.\n"


class Service:
    """A `/rerank` for which whatever names mice answers every question."""

    def __init__(self) -> None:
        self.status = "200 OK"
        self.server: Server

    def answer(self, seen: Seen, line: socket.socket) -> None:
        texts = json.loads(seen.body)["texts"]
        scores = [{"index": i, "score": 0.9 if "Mice" in x else 0.1} for i, x in enumerate(texts)]
        body = json.dumps(scores).encode()
        head = f"HTTP/1.1 {self.status}\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
        line.sendall(head.encode() + body)


@pytest.fixture
def service() -> Iterator[Service]:
    service = Service()
    with serving(service.answer) as service.server:
        yield service
    reranker_of.cache_clear()


@pytest.fixture
def with_it(settings: Settings, service: Service) -> Settings:
    url = f"http://127.0.0.1:{service.server.port}"
    return replace(
        settings, rerank_url=url, rerank_api_key=KEY, rerank_timeout_seconds=PATIENCE_SECONDS
    )


@pytest.fixture
def pages(database: str) -> None:
    for name, text in (("nights", FIRST_BY_WORDS), ("prey", PREFERRED)):
        builders.indexed_page(f"https://birds.example.org/{name}", text)


@pytest.fixture
def asking(ada: Asking, with_it: Settings) -> Asking:
    return Asking(ada.client, with_it, ada.key)


def first_passage(settings: Settings) -> str:
    """The name of the page that the best passage of a search is from."""
    query = parse(QUESTION, ["en"], "en")
    options = {"depth": "standard", "max_sources": 10}
    candidates = retrieve(settings, query, options, WebPages())
    best = candidates.located[candidates.ranked[0].passage.id]
    return best.url.rpartition("/")[2]


def test_a_reranker_changes_the_order_of_a_search(
    settings: Settings, with_it: Settings, pages: None
) -> None:
    assert (first_passage(settings), first_passage(with_it)) == ("nights", "prey")


def test_an_outage_is_told_and_the_search_has_the_order_without_it(
    asking: Asking, service: Service, pages: None
) -> None:
    service.status = "503 Service Unavailable"
    answer = asking.ask(QUESTION)
    assert warned(answer) == ["reranking_unavailable"]
    assert answer["result"]["sources"][0]["url"].endswith("nights")


def test_its_key_is_neither_logged_nor_told(
    asking: Asking, service: Service, pages: None, log_lines: io.StringIO
) -> None:
    service.status = "401 Unauthorized"
    answer = asking.ask(QUESTION)
    assert service.server.seen[0].headers["authorization"] == f"Bearer {KEY}"
    assert "not reranked" in log_lines.getvalue()
    assert KEY not in f"{log_lines.getvalue()}{answer}"


def test_doctor_says_which_reranker_is_on(with_it: Settings) -> None:
    [finding] = models.examine_reranker(with_it)
    assert (finding.verdict, finding.what) == ("ok", "Reranking by 127.0.0.1")


def test_doctor_says_why_there_is_no_reranking(with_it: Settings, service: Service) -> None:
    service.status = "401 Unauthorized"
    [finding] = models.examine_reranker(with_it)
    assert (finding.verdict, finding.what) == ("fail", "Reranking failed: 127.0.0.1: blocked")


def test_doctor_says_nothing_of_what_is_not_configured(settings: Settings) -> None:
    assert list(models.examine_reranker(settings)) == []


def test_doctor_says_why_a_folder_cannot_be_used(settings: Settings, tmp_path: Path) -> None:
    [finding] = models.examine_reranker(replace(settings, rerank_dir=str(tmp_path)))
    assert finding.verdict == "fail"
    assert f"RERANK_DIR cannot be used: {tmp_path} holds no model.onnx" in finding.what
