"""Before the first question passages get their vectors: half here, half by the worker."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from app.core import db
from app.domains.library.passages import vector_store, vectors
from app.domains.library.passages.vectors import Coverage
from app.engine.pages.site.scope import admits
from app.engine.sandbox.documents import Document, ReadingScope
from app.engine.sandbox.prepare import read_document
from app.engine.semantic.embedder import Vectors
from app.local.embedded import first_run, first_vectors
from tests import builders
from tests.embedders import ReadsQuestionsAsPassages

QUESTION = "Where is it?"  # without a word of the pages
DOCS = Path(__file__).resolve().parents[3] / "docs"


class Model(ReadsQuestionsAsPassages):
    """Counts what it embeds."""

    name, dimensions, languages, batch, at_once = "model", 2, None, 2, 2

    def __init__(self) -> None:
        self.texts = list[str]()

    @property
    def embedded(self) -> int:
        return len(self.texts)

    def embed(self, texts: Sequence[str], *, seconds: float) -> Vectors:
        self.texts += texts
        return np.tile(np.array([1, 0], np.float32), (len(texts), 1))


@pytest.fixture
def pages(database: str) -> None:
    for number in range(4):
        builders.indexed_page(f"https://birds.example.org/{number}", f"The owl has {number} eggs.")


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_vectors, "SECONDS", 0.5)
    monkeypatch.setattr(first_vectors, "POLL_SECONDS", 0.01)


@pytest.mark.usefixtures("pages")
def test_the_older_half_is_done_here_and_one_is_told_how_far_it_is() -> None:
    model, progress = Model(), list[int]()
    done = first_vectors.fill(model, QUESTION, lambda coverage: progress.append(coverage.embedded))
    assert done == Coverage(4, 4, 2)
    assert progress[:2] == [0, 2]
    with db.reading() as reader:
        newest = vector_store.newest(reader)
        assert vectors.missing(reader, model, 0, newest, 9) == [newest, newest - 1]


@pytest.mark.usefixtures("pages")
@pytest.mark.parametrize("most", [3, 4], ids=["and the rest later", "before the rest"])
def test_what_may_answer_the_question_comes_first(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(first_vectors, "MOST_MISSING", most)
    model = Model()
    first_vectors.fill(model, "Which owl has 3 eggs?", lambda _: None)
    assert "3 eggs" in model.texts[0]


@pytest.mark.usefixtures("pages")
def test_nobody_waits_for_what_takes_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_vectors, "MOST_MISSING", 3)
    model = Model()
    assert first_vectors.fill(model, QUESTION, lambda _: None) == Coverage(4, 4, 0)
    assert model.embedded == 0


@pytest.mark.usefixtures("database")
def test_without_passages_nobody_waits() -> None:
    progress: list[Coverage] = []
    first_vectors.fill(Model(), QUESTION, progress.append)
    assert progress == []


def test_our_documentation_does_not_take_longer() -> None:
    passages = 0
    for page in DOCS.rglob("*.md"):
        name = page.relative_to(DOCS).as_posix()
        if admits(name, (), tuple(first_run.REPORTS)):
            document = Document(page.read_bytes(), "text/markdown", None, name)
            passages += len(read_document(document, ReadingScope(terms=False)).passages)
    assert passages <= first_vectors.MOST_MISSING
