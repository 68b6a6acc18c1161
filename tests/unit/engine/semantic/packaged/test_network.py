"""The network that is made of the weights, beside the same computed by hand."""

import math
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from app.engine.semantic.onnx_session import OnnxSession
from app.engine.semantic.packaged.network import OUTPUT, Network
from app.engine.semantic.packaged.weights import Weights
from app.engine.semantic.tokenizer import Pieces
from tests.unit.engine.semantic.packaged import weights_file
from tests.unit.engine.semantic.packaged.weights_file import SIZES

Numbers = NDArray[np.float32]
PIECES = [0, 5, 7, 5, 2]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return weights_file.write(tmp_path / "weights.bin", weights_file.tensors())


def test_a_text_becomes_what_a_layer_of_bert_makes_of_it(file: Path, tmp_path: Path) -> None:
    Network(Weights(file)).write(tmp_path / "model.onnx")
    given = OnnxSession(tmp_path / "model.onnx").run(Pieces(PIECES, [0] * len(PIECES)), OUTPUT)
    expected = by_hand(weights_file.tensors(), PIECES)
    assert given.shape[-2:] == (len(PIECES), SIZES.width)
    assert float(np.abs(given - expected).max()) < 0.1  # whole numbers with a scale
    assert np.corrcoef(given.ravel(), expected.ravel())[0, 1] > 0.999


def by_hand(w: dict[str, Numbers], ids: list[int]) -> Numbers:
    width = SIZES.width
    places, kinds = (w[name].reshape(-1, width) for name in ("emb.pos", "emb.type"))
    embedded = w["emb.word"][ids] + places[: len(ids)] + kinds[0]
    hidden = normal(embedded, w, "emb.ln")
    heads = [
        product(hidden, w, f"l0.{part}").reshape(len(ids), SIZES.heads, -1).swapaxes(0, 1)
        for part in "qkv"
    ]
    near = np.exp(heads[0] @ heads[1].swapaxes(1, 2) / math.sqrt(width / SIZES.heads))
    seen = (near / near.sum(-1, keepdims=True)) @ heads[2]
    flat = seen.swapaxes(0, 1).reshape(len(ids), width)
    attended = normal(product(flat, w, "l0.ao") + hidden, w, "l0.aln")
    wide = product(attended, w, "l0.fi")
    curved = wide * (1 + np.vectorize(math.erf)(wide / math.sqrt(2))) / 2
    return normal(product(curved, w, "l0.fo") + attended, w, "l0.oln")


def product(hidden: Numbers, w: dict[str, Numbers], name: str) -> Numbers:
    out: Numbers = hidden @ w[f"{name}.w"].T + w[f"{name}.b"]
    return out


def normal(hidden: Numbers, w: dict[str, Numbers], name: str) -> Numbers:
    spread = np.sqrt(hidden.var(-1, keepdims=True) + SIZES.epsilon)
    out: Numbers = (hidden - hidden.mean(-1, keepdims=True)) / spread
    return out * w[f"{name}.w"] + w[f"{name}.b"]


def test_large_tensors_lie_beside_it(file: Path, tmp_path: Path) -> None:
    Network(Weights(file)).write(tmp_path / "model.onnx")
    assert (tmp_path / "model.onnx.data").stat().st_size > (tmp_path / "model.onnx").stat().st_size


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "weights.bin").write_bytes(b"ONNX and what comes after it")
    with pytest.raises(ValueError, match="is no file of weights"):
        Weights(tmp_path / "weights.bin")


def test_a_file_that_is_cut_off_is_refused(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:60])
    with pytest.raises(ValueError, match="cut off"):
        Weights(file)
