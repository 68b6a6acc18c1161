"""The tensors kept in an ONNX file, read without an ONNX package; what it computes is not read.

The format: protocol buffers (protobuf.dev/programming-guides/encoding), by the field numbers of
onnx.proto: graph 7 of a model, initializer 5 of a graph, and those of a tensor below.
"""

import math
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_GRAPH, _INITIALIZER = 7, 5
_DIMENSIONS, _TYPE, _NAME, _RAW = 1, 2, 8, 9
_TYPES: Final[dict[int, type[np.generic]]] = {1: np.float32, 3: np.int8}
_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5
_LONGEST_VARINT = 10

Tensor = NDArray[np.float32] | NDArray[np.int8]


def tensors(file: memoryview) -> dict[str, Tensor]:
    """The float32 and int8 tensors of a model by name: views into `file`. Raises ValueError."""
    found: dict[str, Tensor] = {}
    for number, graph in _fields(file):
        if number == _GRAPH:
            found.update(
                named
                for inner, tensor in _fields(_message(graph))
                if inner == _INITIALIZER
                if (named := _tensor(_message(tensor))) is not None
            )
    return found


def _tensor(message: memoryview) -> tuple[str, Tensor] | None:
    fields = defaultdict(list)
    for number, content in _fields(message):
        fields[number].append(content)
    kind = _TYPES.get(fields[_TYPE][-1]) if fields[_TYPE] else None
    if kind is None or not fields[_RAW] or not fields[_NAME]:
        return None
    shape = [size for given in fields[_DIMENSIONS] for size in _numbers(given)]
    raw = _message(fields[_RAW][-1])
    if len(raw) != math.prod(shape) * np.dtype(kind).itemsize:
        raise ValueError("a tensor is not as long as its shape says")
    return bytes(_message(fields[_NAME][-1])).decode(), np.frombuffer(raw, kind).reshape(shape)


def _numbers(given: int | memoryview) -> Iterator[int]:
    """The numbers of a repeated field, packed or not."""
    if isinstance(given, int):
        yield given
        return
    place = 0
    while place < len(given):
        number, place = _varint(given, place)
        yield number


def _fields(message: memoryview) -> Iterator[tuple[int, Any]]:
    """Each field's number, and its content: an int, or the bytes it holds."""
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        kind = key & 7
        if kind == _VARINT:
            content, place = _varint(message, place)
            yield key >> 3, content
            continue
        if kind == _BYTES:
            length, place = _varint(message, place)
        elif kind in (_FOUR_BYTES, _EIGHT_BYTES):
            length = 4 if kind == _FOUR_BYTES else 8
        else:
            raise ValueError("a field of an unknown kind")
        if length > len(message) - place:
            raise ValueError("a field is longer than what holds it")
        yield key >> 3, message[place : place + length]
        place += length


def _varint(message: memoryview, place: int) -> tuple[int, int]:
    """The number at `place`, and the place behind it."""
    number = 0
    for count, byte in enumerate(message[place : place + _LONGEST_VARINT]):
        number |= (byte & 127) << (7 * count)
        if byte < 128:
            return number, place + count + 1
    raise ValueError("a number without an end")


def _message(content: int | memoryview) -> memoryview:
    if isinstance(content, int):
        raise ValueError("a number in place of a message")
    return content
