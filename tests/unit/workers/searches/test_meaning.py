"""Cosines of candidates, by an embedder that is a function here."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from app.engine.search.interface import IndexStats
from app.engine.search.rank import PassageCandidate, RankedPassage, rescore
from app.engine.semantic.embedder import Vectors
from tests.embedders import ReadsQuestionsAsPassages
from tests.unit.workers.searches import made
from workers.searches import similarity


class Embedder(ReadsQuestionsAsPassages):
    """Every text is (1, 0), but for those about trains, which are (0, 1)."""

    name, dimensions, languages, batch, at_once = "test", 2, frozenset({"en"}), 8, 2

    def embed(self, texts: Sequence[str], *, seconds: float) -> Vectors:
        return np.array([[0, 1] if "train" in text else [1, 0] for text in texts], np.float32)


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    """In use, with no vector kept. The passages are of the web, so none will be."""

    @contextmanager
    def no_database() -> Iterator[None]:
        yield None

    monkeypatch.setattr(similarity, "embedders_of", lambda _: (Embedder(),))
    monkeypatch.setattr(similarity.db, "reading", no_database)
    monkeypatch.setattr(similarity.vectors, "of", lambda *_: {})


def ranked(candidates: Sequence[PassageCandidate]) -> list[RankedPassage]:
    return rescore(made.query(), candidates, IndexStats(1_000, 20.0, {}))


def compared(*candidates: PassageCandidate, **more: Any) -> similarity.SimilarCandidates:
    return similarity.compare(made.settings(**more), made.query(), candidates, ranked)


def test_candidates_get_the_cosine_of_passage_and_query(embedder: None) -> None:
    owls = PassageCandidate(made.passage(-1), 3.0)
    trains = PassageCandidate(made.passage(-2, "The train leaves."), 2.0)
    assert [x.cosine for x in compared(owls, trains).candidates] == [1.0, 0.0]


def test_few_vectors_are_used_all_the_same(embedder: None, monkeypatch: pytest.MonkeyPatch) -> None:
    few = {-1: np.array([1, 0], np.float32)}
    monkeypatch.setattr(similarity.vectors, "of", lambda *_: few)
    candidates = [PassageCandidate(made.passage(-n), float(n)) for n in (1, 2, 3)]
    found = compared(*candidates, embeddings_search_seconds=0.0)
    assert [x.cosine for x in found.candidates] == [1.0, None, None]


def test_what_would_be_read_gets_a_vector_first(
    embedder: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter((0.0, 0.0, 1.0))  # time for one call, of two passages
    monkeypatch.setattr(similarity, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    names = [PassageCandidate(made.passage(-n, "Eggs. Owls."), 3.0) for n in (1, 2)]
    sentences = [PassageCandidate(made.passage(-n), 2.9) for n in (3, 4)]
    little = PassageCandidate(made.passage(-5, "Eggs."), 0.0)
    found = compared(*names, *sentences, little, embeddings_search_seconds=0.5)
    assert [x.cosine for x in found.candidates] == [None, None, 1.0, 1.0, None]


def test_passages_the_model_does_not_understand_are_not_missed(embedder: None) -> None:
    german = made.passage(-2, "Die Eule.", language="de")
    found = compared(PassageCandidate(made.passage(-1), 3.0), PassageCandidate(german, 2.0))
    assert (found.warnings, found.embedded) == ([], 1.0)
