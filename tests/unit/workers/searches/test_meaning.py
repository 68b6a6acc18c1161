"""Cosines of candidates, by an embedder that is a function here."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from app.engine.search.rank import PassageCandidate
from app.engine.semantic.embedder import EmbeddingFailed, Vectors
from tests.unit.workers.searches import made
from workers.searches import similarity


class Embedder:
    """Every text is (1, 0), but for those about trains, which are (0, 1)."""

    name, dimensions, languages, batch, at_once = "test", 2, frozenset({"en"}), 8, 2

    def __init__(self, failing: bool = False) -> None:
        self.failing, self.texts = failing, list[str]()

    def embed(self, texts: Sequence[str], *, seconds: float) -> Vectors:
        if self.failing:
            raise EmbeddingFailed("away")
        self.texts += texts
        return np.array([[0, 1] if "train" in text else [1, 0] for text in texts], np.float32)


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> Embedder:
    """In use, with no vector kept. The passages are of the web, so none will be."""

    @contextmanager
    def no_database() -> Iterator[None]:
        yield None

    embedder = Embedder()
    monkeypatch.setattr(similarity, "embedder_of", lambda _: embedder)
    monkeypatch.setattr(similarity.db, "reading", no_database)
    monkeypatch.setattr(similarity.vectors, "of", lambda *_: {})
    return embedder


def compared(*candidates: PassageCandidate, **more: Any) -> similarity.SimilarCandidates:
    return similarity.compare(made.settings(**more), made.query(), candidates)


def test_without_an_embedder_candidates_stay_as_they_are() -> None:
    candidate = PassageCandidate(made.passage(-1), 3.0)
    assert compared(candidate) == similarity.SimilarCandidates([candidate], [])


def test_candidates_get_the_cosine_of_passage_and_query(embedder: Embedder) -> None:
    owls = PassageCandidate(made.passage(-1), 3.0)
    trains = PassageCandidate(made.passage(-2, "The train leaves."), 2.0)
    assert [x.cosine for x in compared(owls, trains).candidates] == [1.0, 0.0]


def test_a_passage_in_a_language_the_model_does_not_understand_gets_none(
    embedder: Embedder,
) -> None:
    german = PassageCandidate(made.passage(-1, "Die Eule.", language="de"), 3.0)
    assert compared(german).candidates[0].cosine is None
    assert embedder.texts == []


def test_a_model_that_is_away_is_a_warning(embedder: Embedder) -> None:
    embedder.failing = True
    found = compared(PassageCandidate(made.passage(-1), 3.0))
    assert found.candidates[0].cosine is None
    assert (found.warnings, found.embedded) == ([similarity.UNAVAILABLE], 0.0)


def test_no_passage_is_embedded_once_the_time_is_over(embedder: Embedder) -> None:
    compared(PassageCandidate(made.passage(-1), 3.0), embeddings_search_seconds=0.0)
    assert embedder.texts == [made.QUESTION]


def test_few_vectors_are_a_warning(embedder: Embedder) -> None:
    found = compared(PassageCandidate(made.passage(-1), 3.0), embeddings_search_seconds=0.0)
    assert (found.warnings, found.embedded) == ([similarity.FEW_EMBEDDED], 0.0)


def test_few_vectors_are_used_all_the_same(
    embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = {-1: np.array([1, 0], np.float32)}
    monkeypatch.setattr(similarity.vectors, "of", lambda *_: few)
    candidates = [PassageCandidate(made.passage(-n), float(n)) for n in (1, 2, 3)]
    found = compared(*candidates, embeddings_search_seconds=0.0)
    assert [x.cosine for x in found.candidates] == [1.0, None, None]


def test_passages_the_model_does_not_understand_are_not_missed(embedder: Embedder) -> None:
    german = made.passage(-2, "Die Eule.", language="de")
    found = compared(PassageCandidate(made.passage(-1), 3.0), PassageCandidate(german, 2.0))
    assert (found.warnings, found.embedded) == ([], 1.0)
