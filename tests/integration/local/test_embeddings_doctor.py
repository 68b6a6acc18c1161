"""What `doctor` says of search by meaning."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.core.config.settings import Settings
from app.core.db import Tx
from app.domains.library.passages import retrieval, vector_store, vectors
from app.engine.semantic.embedder import Vectors
from app.engine.semantic.embedder_choice import Choice, choose
from app.engine.semantic.inference import InferenceFailed
from app.engine.semantic.packaged import e5, minilm
from app.local.doctor import models
from app.local.doctor.findings import Finding
from tests import builders
from tests.embedders import ReadsQuestionsAsPassages

PAGES = {
    "owls": "# Barn owls\n\nThe barn owl lays four to seven eggs in a clutch, over two weeks.\n",
    "eulen": "# Eulen\n\nDie Schleiereule legt vier bis sieben Eier in ein Gelege.\n",
}


class English(ReadsQuestionsAsPassages):
    """A model that answers unless it is `failing`."""

    name, dimensions, languages, batch, at_once = "english", 2, frozenset({"en"}), 8, 8
    failing = False

    def embed(self, texts: Sequence[str], *, seconds: float) -> Vectors:
        if self.failing:
            raise InferenceFailed("away")
        return np.tile(np.array([1, 0], np.float32), (len(texts), 1))


def test_it_names_the_model_and_its_languages_or_why_it_does_not_answer(
    settings: Settings,
) -> None:
    model = English()
    finding = models.examine_embeddings(settings, Choice((model,), "embeddings from x"))
    assert finding == Finding("ok", "Embeddings from x, for questions and pages in: en")
    model.failing = True
    finding = models.examine_embeddings(settings, Choice((model,), "embeddings from x"))
    assert (finding.verdict, finding.what) == ("fail", "Embeddings failed: away")
    turned_off = models.examine_embeddings(settings, choose(settings))
    assert turned_off.verdict == "ok"


def test_it_warns_of_a_model_that_is_not_installed(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for model in (minilm, e5):
        monkeypatch.setattr(model, "installed", lambda: None)
    wanted = replace(settings, embeddings_packaged=True)
    finding = models.examine_embeddings(wanted, choose(wanted))
    assert (finding.verdict, finding.hint.split(",")[0]) == ("warn", "make models")


def test_it_fails_over_a_file_that_is_not_the_known_one(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = minilm.Package(tmp_path / "model.onnx", tmp_path / "tokenizer.json")
    package.onnx.write_bytes(b"something else")
    monkeypatch.setattr(minilm, "installed", lambda: package)
    wanted = replace(settings, embeddings_packaged=True)
    finding = models.examine_embeddings(wanted, choose(wanted))
    assert finding.verdict == "fail"
    assert "model.onnx of the packaged model is not the file" in finding.what


def test_it_counts_what_has_a_vector_and_what_never_will(database: str, tx: Tx) -> None:
    for name, text in PAGES.items():
        builders.indexed_page(f"https://birds.example.org/{name}", text)
    other, before = models.examine_vectors(tx, [English()])
    model = English()
    ids = vectors.missing(tx, model, 0, vector_store.newest(tx), 9)
    vectors.keep(tx, model, retrieval.passages(tx, ids), model.embed(["x"], seconds=1))
    _, after = models.examine_vectors(tx, [model])
    assert other.what == "1 passage in other or unknown languages: found by words only"
    assert (before.verdict, before.what) == ("warn", "0 of 1 passages have vectors")
    assert (after.verdict, after.what) == ("ok", "1 of 1 passages have vectors")
