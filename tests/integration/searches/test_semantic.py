"""Searches with an embedder: the endpoint of an operator on loopback, its outage, its promises."""

import json
import socket
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import numpy as np
import pytest

from app.core import db
from app.core.config.settings import Settings
from app.core.redis import events
from app.domains.library.corpora import service as corpora
from app.domains.library.passages import vectors
from app.domains.queue.jobs import store
from app.engine.search.interface import IndexedPassage, IndexStats
from app.engine.search.query import parse
from app.engine.search.rank import PassageCandidate, rescore
from app.engine.semantic.embedder import Vectors, unit
from tests import builders
from tests.embedders import ReadsQuestionsAsPassages
from tests.integration.searches.asking import Asking, sources, warned
from tests.patience import PATIENCE_SECONDS
from tests.unit.engine.fetch.loopback import Seen, Server, serving
from workers.index import embeddings
from workers.index.embeddings import embedders_of
from workers.queue.runner import Runner
from workers.searches.similarity import FEW_EMBEDDED, compare

QUESTION = "How many eggs does the barn owl lay?"
GERMAN = "Die Schleiereule legt vier bis sieben Eier in ein Gelege, über zwei Wochen verteilt."
RIGHT = "# Broods\n\nThe barn owl has four to seven eggs in a clutch, laid over two weeks.\n"
WRONG = "# Recipes\n\nThe barn owl is not a dish, and the eggs of hens are what most cooks beat.\n"


class Service:
    """An endpoint for which the question means what `means` occurs in; notes every text."""

    means = "Broods"

    def __init__(self) -> None:
        self.status, self.texts = "200 OK", list[str]()
        self.refused: str | None = None
        self.server: Server

    def answer(self, seen: Seen, line: socket.socket) -> None:
        texts = json.loads(seen.body)["input"]
        status = self.status
        if self.refused is not None and any(self.refused in text for text in texts):
            status = "400 Bad Request"
        if status == "200 OK":
            self.texts += texts
        near = [text == QUESTION or self.means in text for text in texts]
        data = [{"index": i, "embedding": [1.0, float(not x)]} for i, x in enumerate(near)]
        said = json.dumps({"data": data}).encode()
        head = f"HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {len(said)}\r\n\r\n"
        line.sendall(head.encode() + said)


@pytest.fixture
def service() -> Iterator[Service]:
    service = Service()
    with serving(service.answer) as service.server:
        yield service
    embedders_of.cache_clear()


@pytest.fixture
def with_it(settings: Settings, service: Service) -> Settings:
    return replace(
        settings,
        embeddings_url=f"http://127.0.0.1:{service.server.port}/v1",
        embeddings_model="small",
        embeddings_dimensions=2,
        embeddings_timeout_seconds=PATIENCE_SECONDS,
        embeddings_search_seconds=PATIENCE_SECONDS,
    )


@pytest.fixture
def pages(database: str) -> None:
    for name, text in (("recipes", WRONG), ("broods", RIGHT)):
        builders.indexed_page(f"https://birds.example.org/{name}", text)


@pytest.fixture
def asking(ada: Asking, with_it: Settings) -> Asking:
    return Asking(ada.client, with_it, ada.key)


def fill(settings: Settings) -> list[str]:
    """Do the promised embedding, job after job; how they ended."""
    publisher, ended = events.Publisher(events.connect(settings.redis_url)), []
    while waiting := promised():
        Runner(settings, "w:1:1", publisher).run(waiting)
        with db.reading() as reader:
            found = [store.by_id(reader, id) for id in waiting]
        ended += [job.state for job in found if job]
        if ended[-1] == "queued":
            break
    return ended


def promised() -> list[UUID]:
    with db.reading() as reader:
        rows = reader.execute(
            "select id from jobs where kind = 'passages.embed' and state = 'queued'"
        ).fetchall()
    return [row[0] for row in rows]


def kept() -> int:
    with db.reading() as reader:
        return int(reader.execute("select count(*) from passage_vectors").fetchall()[0][0])


def test_a_search_embeds_what_misses_a_vector_and_keeps_it(
    asking: Asking, service: Service, pages: None
) -> None:
    asking.ask(QUESTION)
    assert asking.ask(QUESTION)["result"]["stats"]["embedded"] == 1.0
    assert kept() == 2
    assert len(service.texts) == 2 + 2  # each passage once, the question each time


def test_what_a_search_has_no_time_for_is_promised_and_done(asking: Asking, pages: None) -> None:
    search = asking.configured(embeddings_search_seconds=0.0).ask(QUESTION)
    assert (search["warnings"], kept()) == ([FEW_EMBEDDED], 0)
    assert fill(asking.settings) == ["succeeded"]
    assert kept() == 2


def test_without_an_embedder_nothing_is_embedded_or_promised(ada: Asking, pages: None) -> None:
    found = ada.ask(QUESTION)
    assert (found["warnings"], kept(), promised()) == ([], 0, [])


def test_an_outage_is_told_and_the_search_goes_by_words(
    asking: Asking, service: Service, pages: None
) -> None:
    service.status = "503 Service Unavailable"
    found = asking.ask(QUESTION)
    assert warned(found) == ["semantic_unavailable"]
    assert found["result"]["answered"]
    assert found["result"]["stats"]["embedded"] == 0.0


def test_during_an_outage_searches_stop_asking(
    asking: Asking, service: Service, pages: None
) -> None:
    service.status = "503 Service Unavailable"
    for _ in range(4):
        asking.ask(QUESTION)
    assert len(service.server.seen) == 2


def test_meaning_decides_where_words_do_not(asking: Asking, pages: None) -> None:
    assert sources(asking.ask(QUESTION))[0] == "https://birds.example.org/broods"


def test_filling_is_tried_again_when_the_endpoint_is_down(
    with_it: Settings, service: Service, pages: None
) -> None:
    service.status = "503 Service Unavailable"
    with db.transaction() as tx:
        vectors.promise(tx)
    assert fill(with_it) == ["queued"]


def test_a_text_that_is_refused_spoils_only_its_own_vector(
    with_it: Settings, service: Service, pages: None
) -> None:
    service.refused = "Recipes"
    with db.transaction() as tx:
        vectors.promise(tx)
    assert (fill(with_it), kept()) == (["succeeded"], 1)


def test_a_new_model_embeds_anew_and_the_former_vectors_go(with_it: Settings, pages: None) -> None:
    for model in ("small", "large"):
        with db.transaction() as tx:
            vectors.promise(tx)
        assert fill(replace(with_it, embeddings_model=model)) == ["succeeded"]
    with db.reading() as reader:
        rows = reader.execute(
            "select name, count(*) from passage_vectors join embedding_models on id = model"
            " group by 1"
        ).fetchall()
    assert [(name.split("/")[1], count) for name, count in rows] == [("large:2", 2)]


def test_a_refresh_promises_vectors_for_what_it_added(with_it: Settings, tmp_path: Path) -> None:
    (tmp_path / "owls.md").write_text(RIGHT)
    with db.transaction() as tx:
        corpora.add(tx, "notes", "folder", str(tmp_path))
        refresh = corpora.refresh(tx, "notes")
    Runner(with_it, "w:1:1", events.Publisher(events.connect(with_it.redis_url))).run([refresh])
    assert (fill(with_it), kept()) == (["succeeded"], 1)


class Speaker(ReadsQuestionsAsPassages):
    """An embedder that understands one language only; notes every text."""

    dimensions, batch, at_once = 2, 8, 8

    def __init__(self, language: str) -> None:
        self.name, self.languages = f"of {language}", frozenset({language})
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str], *, seconds: float) -> Vectors:
        self.texts += texts
        return unit(np.ones((len(texts), 2), np.float32))


@pytest.fixture
def english(monkeypatch: pytest.MonkeyPatch) -> Speaker:
    model = Speaker("en")
    monkeypatch.setattr("workers.searches.similarity.embedders_of", lambda settings: (model,))
    return model


def compared(settings: Settings, question: str, *languages: str | None) -> list[bool]:
    """Which of these passages get a cosine; ids below zero are kept nowhere."""
    candidates = [
        PassageCandidate(IndexedPassage(-number, "s", "text", language=language), 1.0)
        for number, language in enumerate(languages, start=1)
    ]
    query = parse(question, ["en", "de"])
    found = compare(settings, query, candidates, lambda x: rescore(query, x, IndexStats(1, 1, {})))
    return [candidate.cosine is not None for candidate in found.candidates]


def test_an_english_model_weighs_english_passages_only(
    settings: Settings, english: Speaker
) -> None:
    assert compared(settings, QUESTION, "en", "de", "en-GB", None) == [True, False, True, False]


def test_an_english_model_is_not_asked_about_other_questions(
    settings: Settings, english: Speaker
) -> None:
    assert compared(settings, "Wie viele Eier legt die Eule?", "en", "de") == [False, False]
    assert english.texts == []


def test_a_question_is_compared_by_the_model_for_its_language(
    settings: Settings, english: Speaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    german = Speaker("de")
    monkeypatch.setattr("workers.searches.similarity.embedders_of", lambda _: (english, german))
    asked = "Wie viele Eier legt die Eule?"
    assert compared(settings, asked, "en", "de") == [False, True]
    assert compared(settings, QUESTION, "en", "de") == [True, False]
    assert (german.texts[0], english.texts[0]) == (asked, QUESTION)


def test_an_operators_model_weighs_every_language(with_it: Settings) -> None:
    assert compared(with_it, "Wie viele Eier legt die Eule?", "en", "de", None) == [True] * 3


def test_nothing_is_promised_for_pages_of_the_web(settings: Settings, english: Speaker) -> None:
    compared(replace(settings, embeddings_search_seconds=0.0), QUESTION, "en")
    assert promised() == []


def test_each_passage_gets_its_vector_of_the_model_for_its_language(
    settings: Settings, english: Speaker, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    german = Speaker("de")
    for model in (english, german):
        monkeypatch.setattr(model, "batch", 1)
    monkeypatch.setattr(embeddings, "_BATCHES_PER_STEP", 1)
    monkeypatch.setattr(embeddings, "embedders_of", lambda _: (english, german))
    for number in range(2):
        for name, text in (("owls", RIGHT), ("eulen", GERMAN)):
            builders.indexed_page(f"https://birds.example.org/{name}/{number}", text)
    with db.transaction() as tx:
        vectors.promise(tx)
    assert fill(settings) == ["succeeded"]
    assert (kept(), len(english.texts), len(german.texts)) == (4, 2, 2)
