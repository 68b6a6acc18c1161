"""BERT in plain numpy: what each piece of a text means beside the others, averaged.

Devlin et al., BERT (2019). Reads the tensors by the names they have in its published weights.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from app.engine.semantic.embedder import Vectors

_EPSILON: Final = np.float32(1e-12)
_SQRT_2_BY_PI, _CUBIC = np.float32(math.sqrt(2 / math.pi)), np.float32(0.044715)


class Bert:
    """One set of weights; threads may share it."""

    def __init__(self, weights: Mapping[str, Vectors], heads: int) -> None:
        """KeyError for a tensor that is missing shows at the first use."""
        self._w, self._heads = weights, heads
        self.width: int = weights["embeddings.word_embeddings.weight"].shape[1]
        self._layers = len({name.split(".")[2] for name in weights if "encoder.layer." in name})

    def means(self, ids: Sequence[Sequence[int]]) -> Vectors:
        """The mean output over the pieces of each text: rows of `width`. No text is empty."""
        longest = max(map(len, ids))
        padded = np.zeros((len(ids), longest), np.int64)
        real: Vectors = np.zeros((len(ids), longest), np.float32)
        for row, own in enumerate(ids):
            padded[row, : len(own)] = own
            real[row, : len(own)] = 1
        x = self._w["embeddings.word_embeddings.weight"][padded]
        x += self._w["embeddings.position_embeddings.weight"][:longest]
        x += self._w["embeddings.token_type_embeddings.weight"][0]
        x = self._normalised(x.reshape(-1, self.width), "embeddings.LayerNorm")
        hidden: Vectors = (real - np.float32(1))[:, None, None, :] * np.float32(1e9)
        for layer in range(self._layers):
            x = self._layer(x, hidden, f"encoder.layer.{layer}.")
        x = x.reshape(len(ids), longest, self.width)
        means: Vectors = np.einsum("bsd,bs->bd", x, real) / real.sum(1, keepdims=True)
        return means

    def _layer(self, x: Vectors, hidden: Vectors, layer: str) -> Vectors:
        seen = self._attention(x, hidden, layer + "attention.self.")
        seen = self._linear(seen, layer + "attention.output.dense")
        seen += x
        x = self._normalised(seen, layer + "attention.output.LayerNorm")
        inner = _gelu(self._linear(x, layer + "intermediate.dense"))
        out = self._linear(inner, layer + "output.dense")
        out += x
        return self._normalised(out, layer + "output.LayerNorm")

    def _attention(self, x: Vectors, hidden: Vectors, part: str) -> Vectors:
        """Each piece as a mixture of what all pieces of its text say, by head."""
        texts, pieces = hidden.shape[0], hidden.shape[-1]
        query, key, value = (
            self._linear(x, part + name)
            .reshape(texts, pieces, self._heads, self.width // self._heads)
            .transpose(0, 2, 1, 3)
            for name in ("query", "key", "value")
        )
        query /= np.float32(math.sqrt(self.width / self._heads))
        share: Vectors = query @ key.transpose(0, 1, 3, 2)
        share += hidden
        share -= share.max(-1, keepdims=True)
        np.exp(share, out=share)
        share /= share.sum(-1, keepdims=True)
        mixed: Vectors = (share @ value).transpose(0, 2, 1, 3).reshape(-1, self.width)
        return mixed

    def _linear(self, x: Vectors, part: str) -> Vectors:
        # Not x @ w.T, which turns the whole of w round for a handful of pieces: a fifth slower.
        y: Vectors = (self._w[part + ".weight"] @ x.T).T
        y += self._w[part + ".bias"]
        return y

    def _normalised(self, x: Vectors, part: str) -> Vectors:
        x -= x.mean(-1, keepdims=True)
        variance = np.einsum("ij,ij->i", x, x) / np.float32(self.width)
        x /= np.sqrt(variance + _EPSILON)[:, None]
        x *= self._w[part + ".weight"]
        x += self._w[part + ".bias"]
        return x


def _gelu(x: Vectors) -> Vectors:
    """The tanh form, which is within .001 of the exact one (arXiv:1606.08415)."""
    inner = x * x
    inner *= _CUBIC
    inner += 1
    inner *= x
    inner *= _SQRT_2_BY_PI
    np.tanh(inner, out=inner)
    inner += 1
    inner *= x
    inner *= np.float32(0.5)
    return inner
