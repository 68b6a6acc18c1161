"""Vectors stored as bytes keep their direction."""

import numpy as np
import pytest

from app.engine.semantic.embedder import Vectors, unit
from app.engine.semantic.inference import InferenceFailed
from app.engine.semantic.quantization import pack, unpack


def some(scale: float = 1.0) -> Vectors:
    return (np.random.default_rng(3).normal(size=(50, 384)) * scale).astype(np.float32)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_direction_survives_whatever_the_scale(scale: float) -> None:
    vectors = some(scale)
    cosines = np.einsum("ij,ij->i", unit(vectors), unpack(pack(vectors), 384))
    assert cosines.min() > 0.9997


def test_a_number_is_a_byte() -> None:
    assert {len(packed) for packed in pack(some())} == {384}


def test_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="reshape"):
        unpack(pack(some()), 768)


@pytest.mark.parametrize("value", [0.0, np.nan, np.inf])
def test_a_row_without_direction_is_refused(value: float) -> None:
    vectors = some()
    vectors[7] = value
    with pytest.raises(InferenceFailed):
        unit(vectors)
