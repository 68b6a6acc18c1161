"""A safetensors file, mapped into memory: the processes of a host share one copy of it.

The format: eight bytes of length, a JSON header, the numbers (github.com/huggingface/safetensors).
"""

import hashlib
import json
import mmap
from pathlib import Path

import numpy as np

from app.engine.semantic.embedder import Vectors


class WrongWeights(Exception):
    """The file is not the one whose hash is known; nothing of it is used."""


def load(path: Path, sha256: str) -> dict[str, Vectors]:
    """The float32 tensors of a file by name, read-only. Raises WrongWeights, OSError.

    What is hashed is what is used: the mapping, not the file at its path.
    """
    mapped = checked(path, sha256)
    start = 8 + int.from_bytes(mapped[:8], "little")
    header = json.loads(mapped[8:start])
    return {
        name: _tensor(mapped, start + entry["data_offsets"][0], entry["shape"])
        for name, entry in header.items()
        if entry.get("dtype") == "F32"
    }


def checked(path: Path, sha256: str) -> mmap.mmap:
    """The bytes of a file with this hash. Raises WrongWeights, OSError."""
    with path.open("rb") as file:
        try:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:  # an empty file
            raise WrongWeights(path.name) from None
    if hashlib.sha256(mapped).hexdigest() != sha256:
        raise WrongWeights(path.name)
    return mapped


def _tensor(mapped: mmap.mmap, offset: int, shape: list[int]) -> Vectors:
    numbers = np.frombuffer(mapped, np.float32, count=int(np.prod(shape)), offset=offset)
    return numbers.reshape(shape)
