"""ONNX files, as far as a network with one graph needs them (github.com/onnx/onnx, onnx.proto).

Large tensors lie in a file beside it: the runtime maps it into memory, where processes share it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from app.engine.semantic.packaged.protobuf import message, messages, number, real, texts, varint

_IR_VERSION, _OPSET = 10, 21
_FLOAT32, _INT64, _INT4 = 1, 7, 22
_ELEMENTS: Final = {"float32": _FLOAT32, "uint8": 2, "int8": 3, "int64": _INT64}
_OF_A_REAL, _OF_A_NUMBER = 1, 2  # kinds of attribute
_ELSEWHERE: Final = 1
_LARGE: Final = 1024  # bytes
_ALIGNED: Final = 65_536  # as systems map files
_RUNTIME: Final = "com.microsoft"  # operators that onnxruntime has beside the standard's


@dataclass(frozen=True, slots=True)
class FourBits:
    """Rows of numbers from -8 to 7, two in a byte, the first in its lower half."""

    shape: tuple[int, int]
    packed: NDArray[np.uint8]


Tensor = NDArray[Any] | FourBits


def node(
    operator: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    *,
    of_runtime: bool = False,
    **attributes: float,
) -> bytes:
    """One operation. An input "" is left out; attributes are whole numbers or floats."""
    written = texts(1, inputs) + texts(2, outputs) + message(4, operator.encode())
    written += messages(5, (_attribute(*named) for named in attributes.items()))
    return written + (message(7, _RUNTIME.encode()) if of_runtime else b"")


def _attribute(name: str, value: float) -> bytes:
    if isinstance(value, int):
        return message(1, name.encode()) + number(3, value) + number(20, _OF_A_NUMBER)
    return message(1, name.encode()) + real(2, value) + number(20, _OF_A_REAL)


def model(
    nodes: Sequence[bytes],
    tensors: Mapping[str, Tensor],
    *,
    inputs: Sequence[str],
    outputs: Sequence[str],
) -> bytes:
    """A file with all tensors in it. Inputs are rows of int64, outputs of float32, of any shape."""
    written = (_tensor(name, values, message(9, _raw(values))) for name, values in tensors.items())
    return _model(nodes, list(written), inputs, outputs)


def write(
    file: Path,
    nodes: Sequence[bytes],
    tensors: Mapping[str, Tensor],
    *,
    inputs: Sequence[str],
    outputs: Sequence[str],
) -> None:
    """`model`, its large tensors in a file of its name with `.data` behind it."""
    beside = file.with_name(file.name + ".data")
    written: list[bytes] = []
    with beside.open("wb") as data:
        for name, values in tensors.items():
            raw = _raw(values)
            if len(raw) < _LARGE:
                written.append(_tensor(name, values, message(9, raw)))
                continue
            data.write(b"\0" * (-data.tell() % _ALIGNED))
            place = {"location": beside.name, "offset": data.tell(), "length": len(raw)}
            pairs = (texts(1, [key]) + texts(2, [str(value)]) for key, value in place.items())
            written.append(_tensor(name, values, messages(13, pairs) + number(14, _ELSEWHERE)))
            data.write(raw)
    file.write_bytes(_model(nodes, written, inputs, outputs))


def _model(
    nodes: Sequence[bytes], tensors: Sequence[bytes], inputs: Sequence[str], outputs: Sequence[str]
) -> bytes:
    graph = messages(1, nodes) + message(2, b"graph") + messages(5, tensors)
    graph += messages(11, map(_input, inputs)) + messages(12, map(_output, outputs))
    sets = [number(2, _OPSET), message(1, _RUNTIME.encode()) + number(2, 1)]
    return number(1, _IR_VERSION) + message(7, graph) + messages(8, sets)


def _tensor(name: str, values: Tensor, content: bytes) -> bytes:
    kind = _INT4 if isinstance(values, FourBits) else _ELEMENTS[values.dtype.name]
    sizes = message(1, b"".join(varint(size) for size in values.shape))
    return sizes + number(2, kind) + message(8, name.encode()) + content


def _raw(values: Tensor) -> bytes:
    return (values.packed if isinstance(values, FourBits) else values).tobytes()


def _input(name: str) -> bytes:
    sizes = message(1, number(1, 1)) + message(1, message(2, b"pieces"))
    return message(1, name.encode()) + message(2, message(1, number(1, _INT64) + message(2, sizes)))


def _output(name: str) -> bytes:
    return message(1, name.encode()) + message(2, message(1, number(1, _FLOAT32)))
