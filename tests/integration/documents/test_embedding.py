"""Embedding documents is counted for their account in seconds of CPU, and makes way for others."""

import threading
import time
from collections.abc import Sequence

import numpy as np
import pytest

from app.core import db, ids
from app.core.ids import Noun
from app.domains.library.documents import corpus_store
from app.engine.semantic.embedder import Vectors, unit
from tests import builders, servers
from tests.databases import sessions_waiting
from tests.embedders import ReadsQuestionsAsPassages
from tests.integration.documents.conftest import OWLS, Uploader, read_all
from workers.index import embeddings

PROMISED = "select id from jobs where kind = 'passages.embed' and state = 'queued'"
SECONDS = 0.05


class Busy(ReadsQuestionsAsPassages):
    """An embedder that computes for some time."""

    name, dimensions, languages, batch, at_once = "busy", 3, None, 8, 8

    def embed(self, texts: Sequence[str], *, seconds: float) -> Vectors:
        until = time.process_time() + SECONDS
        while time.process_time() < until:
            pass
        return unit(np.ones((len(texts), self.dimensions), np.float32))


def spent(corpus: str) -> float:
    corpus_id = ids.internal(Noun.CORPUS, corpus.rpartition("/")[2])
    with db.reading() as reader:
        sql = "select embedding_seconds from own_corpora where id = %(id)s"
        return float(db.value(reader, sql, id=corpus_id))


def test_each_account_has_its_own(
    ada: Uploader, bob: Uploader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embeddings, "embedders_of", lambda _settings: (Busy(),))
    first, second = ada.corpus(), bob.corpus()
    for uploader, corpus, copies in ((ada, first, 3), (bob, second, 1)):
        for n in range(copies):
            uploader.put(corpus, f"{n}.md", f"{OWLS}\n\nNumber {n}.")
    read_all(ada.settings)
    assert (spent(first), spent(second)) == (0.0, 0.0)
    with db.reading() as reader:
        promised = list(db.values(reader, PROMISED))
    builders.run(ada.settings, promised)
    assert spent(first) + spent(second) >= SECONDS
    assert spent(first) == pytest.approx(3 * spent(second), rel=0.05)


def test_it_makes_way_for_documents_that_wait(
    ada: Uploader, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = Busy()
    monkeypatch.setattr(embedder, "batch", 1)
    monkeypatch.setattr(embeddings, "_BATCHES_PER_STEP", 1)
    monkeypatch.setattr(embeddings, "embedders_of", lambda _settings: (embedder,))
    corpus = ada.corpus()
    for n in range(3):
        ada.put(corpus, f"{n}.md", f"{OWLS}\n\nNumber {n}.")
    read_all(ada.settings)
    ada.put(corpus, "new.md", OWLS)
    with db.reading() as reader:
        promised = list(db.values(reader, PROMISED))
    builders.run(ada.settings, promised)
    with db.reading() as reader:
        left = db.values(reader, PROMISED + " and delayed and run_at > now()")
        assert len(list(left)) == 1
    assert SECONDS <= spent(corpus) < 3 * SECONDS


def test_it_waits_for_corpora_without_holding_their_passages(
    ada: Uploader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embeddings, "embedders_of", lambda _settings: (Busy(),))
    corpus = ada.corpus()
    ada.upload(corpus, "owls.md", OWLS)
    with db.transaction() as tx:
        promised = list(db.values(tx, PROMISED))
        embedding = threading.Thread(target=builders.run, args=(ada.settings, promised))
        corpus_store.lock(tx, db.value(tx, "select account_id from own_corpora"))
        embedding.start()
        servers.until(sessions_waiting)
        db.run(tx, "select id from passages for update nowait")
    embedding.join()
    assert spent(corpus) >= SECONDS
