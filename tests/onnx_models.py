"""ONNX models small enough to write by hand: a protocol buffer, without the package `onnx`.

Only what tests need of the format (github.com/onnx/onnx, onnx.proto): tensors, nodes, a graph.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_IR_VERSION, _OPSET = 8, 17
_WHOLE, _INT64 = 2, 7  # kinds of attribute and of element
_ELEMENTS = {"float32": 1, "uint8": 2, "int8": 3, "int64": 7}


def model(
    nodes: Sequence[bytes],
    tensors: Mapping[str, NDArray[Any]],
    *,
    inputs: Sequence[str],
    outputs: Sequence[str],
) -> bytes:
    """A file with one graph. Inputs are rows of int64, outputs of float32, of any shape."""
    graph = b"".join(message(1, node) for node in nodes) + message(2, b"graph")
    graph += b"".join(message(5, tensor(name, values)) for name, values in tensors.items())
    graph += b"".join(message(11, _input(name)) for name in inputs)
    graph += b"".join(message(12, _output(name)) for name in outputs)
    return number(1, _IR_VERSION) + message(7, graph) + message(8, number(2, _OPSET))


def node(operator: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: int) -> bytes:
    """One operation; attributes are whole numbers."""
    named = b"".join(message(1, name.encode()) for name in inputs)
    named += b"".join(message(2, name.encode()) for name in outputs)
    written = [
        message(1, name.encode()) + number(3, value) + number(20, _WHOLE)
        for name, value in attributes.items()
    ]
    return named + message(4, operator.encode()) + b"".join(message(5, one) for one in written)


def tensor(name: str, values: NDArray[Any]) -> bytes:
    """An array by name."""
    shape = message(1, b"".join(varint(size) for size in values.shape))
    kind = number(2, _ELEMENTS[values.dtype.name])
    return shape + kind + message(8, name.encode()) + message(9, values.tobytes())


def sentence_model(table: NDArray[np.float32]) -> bytes:
    """Each piece becomes its row of `table`, whatever stands beside it."""
    return model(
        [node("Gather", ["table", "input_ids"], ["last_hidden_state"])],
        {"table": table},
        inputs=["input_ids", "attention_mask", "token_type_ids"],
        outputs=["last_hidden_state"],
    )


def cross_encoder(weights: NDArray[np.float32]) -> bytes:
    """The score of a pair is the sum of `weights` over the pieces of its second text."""
    return model(
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


def _input(name: str) -> bytes:
    sizes = message(1, number(1, 1)) + message(1, message(2, b"pieces"))
    return message(1, name.encode()) + message(2, message(1, number(1, _INT64) + message(2, sizes)))


def _output(name: str) -> bytes:
    return message(1, name.encode()) + message(2, message(1, number(1, 1)))


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def message(field: int, content: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(content)) + content


def varint(value: int) -> bytes:
    written = bytearray()
    while value > 127:
        written.append(value & 127 | 128)
        value >>= 7
    return bytes([*written, value])
