"""Vectors as they are stored: a byte per number. Only their direction counts, so no scale is kept.

The largest number of a vector becomes 127: a cosine is then off by some ten-thousandths.
"""

from collections.abc import Sequence

import numpy as np

from app.engine.semantic.embedder import Vectors, unit


def pack(vectors: Vectors) -> list[bytes]:
    """One string of `dimensions` bytes for each row; rows are not zero."""
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    return [row.tobytes() for row in np.rint(vectors * (127 / largest)).astype(np.int8)]


def unpack(packed: Sequence[bytes], dimensions: int) -> Vectors:
    """Rows of length 1 again. Raises ValueError for what has not `dimensions` bytes each."""
    numbers = np.frombuffer(b"".join(packed), np.int8).reshape(len(packed), dimensions)
    return unit(numbers.astype(np.float32))
