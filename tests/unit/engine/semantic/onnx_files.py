"""ONNX files written by hand: tensors of a graph, as protocol buffers."""

import numpy as np
from numpy.typing import NDArray

_TYPES = {"float32": 1, "int8": 3, "int64": 7}


def varint(number: int) -> bytes:
    written = bytearray()
    while number > 127:
        written.append(number & 127 | 128)
        number >>= 7
    return bytes([*written, number])


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def message(field: int, content: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(content)) + content


def tensor(name: str, values: NDArray[np.generic], *, packed: bool = True) -> bytes:
    """A TensorProto; `packed` says in which of the two forms its dimensions are written."""
    if packed:
        shape = message(1, b"".join(varint(size) for size in values.shape))
    else:
        shape = b"".join(number(1, size) for size in values.shape)
    kind = number(2, _TYPES[values.dtype.name])
    return shape + kind + message(8, name.encode()) + message(9, values.tobytes())


def model(*tensors: bytes) -> bytes:
    """A ModelProto: a version, and a graph with a node among its tensors."""
    node = message(1, message(4, b"MatMul"))
    graph = node + b"".join(message(5, tensor) for tensor in tensors)
    return number(1, 9) + message(7, graph)
