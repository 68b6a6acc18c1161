"""ONNX models small enough to write by hand: a protocol buffer, without the package `onnx`.

Only what tests need of the format (github.com/onnx/onnx, onnx.proto): tensors, nodes, a graph.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_IR_VERSION, _OPSET = 8, 17
_ELEMENTS = {"float32": 1, "uint8": 2, "int8": 3, "int64": 7}


def model(
    nodes: Sequence[bytes],
    tensors: Mapping[str, NDArray[Any]],
    *,
    inputs: Sequence[str],
    outputs: Sequence[str],
) -> bytes:
    """A file with one graph. Inputs are rows of int64, outputs of float32, of any shape."""
    graph = b"".join(_field(1, node) for node in nodes) + _field(2, b"graph")
    graph += b"".join(_field(5, tensor(name, array)) for name, array in tensors.items())
    graph += b"".join(_field(11, _input(name)) for name in inputs)
    graph += b"".join(_field(12, _output(name)) for name in outputs)
    return _number(1, _IR_VERSION) + _field(7, graph) + _field(8, _number(2, _OPSET))


def node(operator: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: int) -> bytes:
    """One operation; attributes are whole numbers."""
    named = b"".join(_field(1, name.encode()) for name in inputs)
    named += b"".join(_field(2, name.encode()) for name in outputs)
    told = [
        _field(1, name.encode()) + _number(3, value) + _number(20, 2)
        for name, value in attributes.items()
    ]
    return named + _field(4, operator.encode()) + b"".join(_field(5, one) for one in told)


def tensor(name: str, array: NDArray[Any]) -> bytes:
    shape = b"".join(_number(1, size) for size in array.shape)
    kind = _number(2, _ELEMENTS[array.dtype.name])
    return shape + kind + _field(8, name.encode()) + _field(9, array.tobytes())


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
    sizes = _field(1, _number(1, 1)) + _field(1, _field(2, b"pieces"))
    return _field(1, name.encode()) + _field(2, _field(1, _number(1, 7) + _field(2, sizes)))


def _output(name: str) -> bytes:
    return _field(1, name.encode()) + _field(2, _field(1, _number(1, 1)))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _field(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    groups = bytearray()
    while value > 127:
        groups.append(value & 127 | 128)
        value >>= 7
    return bytes([*groups, value])
