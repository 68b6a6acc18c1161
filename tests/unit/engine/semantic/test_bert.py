"""BERT in numpy, beside the same sums written out one number at a time."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from app.engine.semantic.bert import Bert

WIDTH, HEADS, LAYERS, INNER = 8, 2, 2, 12
Array = NDArray[np.float64]


def weights() -> dict[str, NDArray[np.float32]]:
    random = np.random.default_rng(1)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (20, WIDTH),
        "embeddings.position_embeddings.weight": (16, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
        "embeddings.LayerNorm.weight": (WIDTH,),
        "embeddings.LayerNorm.bias": (WIDTH,),
    }
    for layer in range(LAYERS):
        parts = {
            "attention.self.query": (WIDTH, WIDTH),
            "attention.self.key": (WIDTH, WIDTH),
            "attention.self.value": (WIDTH, WIDTH),
            "attention.output.dense": (WIDTH, WIDTH),
            "attention.output.LayerNorm": (WIDTH,),
            "intermediate.dense": (INNER, WIDTH),
            "output.dense": (WIDTH, INNER),
            "output.LayerNorm": (WIDTH,),
        }
        for name, shape in parts.items():
            shapes[f"encoder.layer.{layer}.{name}.weight"] = shape
            shapes[f"encoder.layer.{layer}.{name}.bias"] = shape[:1]
    return {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


WEIGHTS = weights()


def written_out(ids: list[int]) -> Array:
    """The mean output for one text, in double precision, with the exact error function."""
    w = {name: tensor.astype(float) for name, tensor in WEIGHTS.items()}

    def norm(x: Array, part: str) -> Array:
        spread = np.sqrt(x.var() + 1e-12)
        return np.asarray((x - x.mean()) / spread * w[part + ".weight"] + w[part + ".bias"])

    def linear(x: Array, part: str) -> Array:
        return np.asarray(w[part + ".weight"] @ x + w[part + ".bias"])

    xs = [
        norm(
            w["embeddings.word_embeddings.weight"][id]
            + w["embeddings.position_embeddings.weight"][place]
            + w["embeddings.token_type_embeddings.weight"][0],
            "embeddings.LayerNorm",
        )
        for place, id in enumerate(ids)
    ]
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}."
        query, key, value = (
            [linear(x, at + "attention.self." + name).reshape(HEADS, -1) for x in xs]
            for name in ("query", "key", "value")
        )
        after = []
        for x, asked in zip(xs, query, strict=True):
            mixed = np.zeros((HEADS, WIDTH // HEADS))
            for head in range(HEADS):
                scores = [asked[head] @ k[head] / math.sqrt(WIDTH / HEADS) for k in key]
                shares = np.exp(scores) / np.exp(scores).sum()
                mixed[head] = sum(s * v[head] for s, v in zip(shares, value, strict=True))
            seen = linear(mixed.reshape(-1), at + "attention.output.dense") + x
            seen = norm(seen, at + "attention.output.LayerNorm")
            inner = linear(seen, at + "intermediate.dense")
            inner = np.array([0.5 * z * (1 + math.erf(z / math.sqrt(2))) for z in inner])
            after.append(norm(linear(inner, at + "output.dense") + seen, at + "output.LayerNorm"))
        xs = after
    return np.asarray(np.mean(xs, axis=0))


@pytest.mark.parametrize("ids", [[2, 3], [2, 5, 9, 11, 3], [7] * 16])
def test_outputs_are_those_of_the_sums_written_out(ids: list[int]) -> None:
    assert Bert(WEIGHTS, HEADS).means([ids])[0] == pytest.approx(written_out(ids), abs=5e-3)


def test_texts_of_one_batch_do_not_touch_each_other() -> None:
    bert, texts = Bert(WEIGHTS, HEADS), [[2, 3], [2, 5, 9, 11, 3], [2, 8, 3]]
    alone = np.concatenate([bert.means([ids]) for ids in texts])
    assert bert.means(texts) == pytest.approx(alone, abs=1e-5)
