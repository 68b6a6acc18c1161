"""Tensors of ONNX files, and files that are none."""

import numpy as np
import pytest

from app.engine.semantic.onnx_weights import tensors
from tests.onnx_models import message, number, tensor, weights

FLOATS = np.arange(6, dtype=np.float32).reshape(2, 3)
BYTES = np.array([[-128], [127]], np.int8)


@pytest.mark.parametrize("packed", [True, False])
def test_tensors_have_their_names_shapes_and_numbers(packed: bool) -> None:
    file = weights(tensor("one", FLOATS, packed=packed), tensor("two", BYTES, packed=packed))
    found = tensors(memoryview(file))
    assert {name: array.tolist() for name, array in found.items()} == {
        "one": FLOATS.tolist(),
        "two": BYTES.tolist(),
    }


def test_tensors_of_other_types_are_left_out() -> None:
    assert tensors(memoryview(weights(tensor("sizes", np.array([1, 2], np.int64))))) == {}


def test_numbers_are_views_of_the_file() -> None:
    found = tensors(memoryview(weights(tensor("one", FLOATS))))
    assert not found["one"].flags.owndata


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(b"\xff" * 12, id="a number without an end"),
        pytest.param(b"\x80", id="a number that breaks off"),
        pytest.param(b"\x3a\xff\xff\xff\xff\x0f" + b"x", id="a graph longer than the file"),
        pytest.param(b"\x3b", id="a group"),
        pytest.param(number(7, 1), id="a number in place of the graph"),
        pytest.param(weights(number(2, 1) + message(8, b"x") + number(9, 1)), id="no bytes"),
        pytest.param(
            weights(
                message(1, b"\x7f\x7f") + number(2, 1) + message(8, b"x") + message(9, b"1234")
            ),
            id="a shape beyond its bytes",
        ),
        pytest.param(
            weights(number(2, 1) + message(8, b"\xff") + message(9, b"1234")), id="a name"
        ),
    ],
)
def test_a_file_that_is_none_is_refused(file: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        tensors(memoryview(file))


@pytest.mark.parametrize("end", range(1, 40))
def test_a_file_that_breaks_off_is_refused(end: int) -> None:
    file = weights(tensor("one", FLOATS))
    with pytest.raises(ValueError, match=r"."):
        tensors(memoryview(file)[:-end])
