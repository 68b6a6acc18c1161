"""Small ONNX models: what they give can be counted on one's fingers."""

import numpy as np
from numpy.typing import NDArray

from app.engine.semantic.packaged import onnx_file
from app.engine.semantic.packaged.onnx_file import node


def sentence_model(table: NDArray[np.float32]) -> bytes:
    """Each piece becomes its row of `table`, whatever stands beside it."""
    return onnx_file.model(
        [node("Gather", ["table", "input_ids"], ["last_hidden_state"])],
        {"table": table},
        inputs=["input_ids", "attention_mask", "token_type_ids"],
        outputs=["last_hidden_state"],
    )


def cross_encoder(weights: NDArray[np.float32]) -> bytes:
    """The score of a pair is the sum of `weights` over the pieces of its second text."""
    return onnx_file.model(
        [
            node("Gather", ["weights", "input_ids"], ["each"]),
            node("Cast", ["token_type_ids"], ["second"], to=1),
            node("Mul", ["each", "second"], ["counted"]),
            node("ReduceSum", ["counted", "axis"], ["logits"], keepdims=1),
        ],
        {"weights": weights, "axis": np.array([1], np.int64)},
        inputs=["input_ids", "attention_mask", "token_type_ids"],
        outputs=["logits"],
    )
