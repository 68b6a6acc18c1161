"""The network of multilingual-e5-small: a BERT of twelve layers, with operators of onnxruntime.

Devlin et al., BERT (2019); Wang et al., Multilingual E5 Text Embeddings (arXiv:2402.05672).
Embeddings of pieces stay in 4 bits and in the file. Matrices become whole numbers with a scale for
each column, which the processor multiplies three times as fast as 4 bits; but for the one behind
the curve, whose input has a few numbers so large that the others would be lost beside them.
"""

from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.semantic.packaged import onnx_file
from app.engine.semantic.packaged.onnx_file import FourBits, Tensor, node
from app.engine.semantic.packaged.weights import BLOCK, Weights

OUTPUT: Final = "last_hidden_state"
# Of 127: processors without the newer instructions add two products in 16 bits.
_LARGEST: Final = 63.0


class Network:
    """Its operations and tensors, in the order in which they are added."""

    def __init__(self, weights: Weights) -> None:
        self._weights, self._sizes = weights, weights.sizes
        self._nodes: list[bytes] = []
        self._tensors: dict[str, Tensor] = {}
        hidden = self._embeddings()
        for layer in range(self._sizes.layers):
            hidden = self._layer(f"l{layer}", hidden)
        self._nodes.append(node("Identity", [hidden], [OUTPUT]))

    def write(self, file: Path) -> None:
        """An ONNX file, and the one with its tensors beside it."""
        onnx_file.write(file, self._nodes, self._tensors, inputs=["input_ids"], outputs=[OUTPUT])

    def _embeddings(self) -> str:
        """Of a piece and of its place."""
        width = self._sizes.width
        pieces, scales = self._weights.quantized("emb.word", width)
        kinds = self._weights.floats("emb.type").reshape(-1, width)
        places = self._weights.floats("emb.pos").reshape(-1, width) + kinds[0]
        signed = FourBits((len(pieces), width), np.bitwise_xor(pieces, 0x88, dtype=np.uint8))
        inputs = [self._add("pieces", signed), "input_ids", self._add("scales", scales)]
        self._nodes += [
            node(
                "GatherBlockQuantized", inputs, ["piece"], of_runtime=True,
                block_size=BLOCK, gather_axis=0, quantize_axis=1,
            ),
            node("Shape", ["input_ids"], ["length"], start=1, end=2),
            node("Slice", [self._add("places", places), self._zero(), "length"], ["place"]),
            node("Add", ["piece", "place"], ["placed"]),
            node(
                "LayerNormalization", ["placed", *self._normal("emb.ln")], ["embedded"],
                axis=2, epsilon=self._sizes.epsilon,
            ),
        ]  # fmt: skip
        return "embedded"

    def _layer(self, name: str, hidden: str) -> str:
        width, inner = self._sizes.width, self._sizes.inner
        looked = [self._product(f"{name}.{part}", hidden, width) for part in "qkv"]
        self._nodes.append(
            node(
                "MultiHeadAttention", looked, [f"{name}.seen"], of_runtime=True,
                num_heads=self._sizes.heads,
            )
        )  # fmt: skip
        seen = self._product(f"{name}.ao", f"{name}.seen", width)
        attended = self._added(f"{name}.aln", seen, hidden)
        wide = self._product(f"{name}.fi", attended, width)
        self._nodes.append(node("Gelu", [wide], [f"{name}.gelu"], of_runtime=True))
        narrow = self._exact_product(f"{name}.fo", f"{name}.gelu", inner)
        return self._added(f"{name}.oln", narrow, attended)

    def _product(self, name: str, hidden: str, width: int) -> str:
        """With a matrix of rows of `width` numbers, and its bias."""
        matrix = self._weights.matrix(f"{name}.w", width).T
        scales: NDArray[np.float32] = np.abs(matrix).max(axis=0) / np.float32(_LARGEST)
        self._nodes.append(
            node(
                "DynamicQuantizeMatMul",
                [
                    hidden,
                    self._add(f"{name}.w", np.rint(matrix / scales).astype(np.int8)),
                    self._add(f"{name}.scales", scales),
                    "",
                    self._add(f"{name}.b", self._weights.floats(f"{name}.b")),
                ],
                [f"{name}.out"],
                of_runtime=True,
            )
        )
        return f"{name}.out"

    def _exact_product(self, name: str, hidden: str, width: int) -> str:
        """The same, with the matrix in 4 bits as it is."""
        matrix, scales = self._weights.quantized(f"{name}.w", width)
        rows = len(matrix)
        blocks = matrix.reshape(rows, width // BLOCK, BLOCK // 2)
        inputs = [hidden, self._add(f"{name}.w", blocks), self._add(f"{name}.scales", scales)]
        self._nodes.append(
            node(
                "MatMulNBits",
                [*inputs, "", "", self._add(f"{name}.b", self._weights.floats(f"{name}.b"))],
                [f"{name}.out"],
                of_runtime=True,
                K=width, N=rows, bits=4, block_size=BLOCK,
            )
        )  # fmt: skip
        return f"{name}.out"

    def _added(self, name: str, change: str, hidden: str) -> str:
        """The sum of both, normalized."""
        inputs = [change, hidden, *self._normal(name)]
        self._nodes.append(
            node(
                "SkipLayerNormalization", inputs, [f"{name}.out"], of_runtime=True,
                epsilon=self._sizes.epsilon,
            )
        )  # fmt: skip
        return f"{name}.out"

    def _normal(self, name: str) -> list[str]:
        return [
            self._add(f"{name}.{part}", self._weights.floats(f"{name}.{part}")) for part in "wb"
        ]

    def _zero(self) -> str:
        return self._add("zero", np.zeros(1, np.int64))

    def _add(self, name: str, tensor: Tensor) -> str:
        self._tensors[name] = tensor
        return name
