"""Safetensors files, mapped into memory: the processes of a host share one copy of each.

The format: eight bytes of length, a JSON header, the numbers (github.com/huggingface/safetensors).
"""

import fcntl
import hashlib
import json
import mmap
from collections.abc import Callable, Mapping
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


def load_or_make(
    path: Path, sha256: str, make: Callable[[], Mapping[str, Vectors]]
) -> dict[str, Vectors]:
    """As `load`; a file that is not there, or is another, is first made of the tensors of `make`.

    Processes that want it at once make it once. Raises WrongWeights, OSError, and what `make` does.
    """
    if (known := _load_if_there(path, sha256)) is not None:
        return known
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_suffix(".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # until it is closed, or we die
        if (known := _load_if_there(path, sha256)) is not None:
            return known
        _save(path, make())
    return load(path, sha256)


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


def _load_if_there(path: Path, sha256: str) -> dict[str, Vectors] | None:
    try:
        return load(path, sha256)
    except (FileNotFoundError, WrongWeights):
        return None


def _tensor(mapped: mmap.mmap, offset: int, shape: list[int]) -> Vectors:
    numbers = np.frombuffer(mapped, np.float32, count=int(np.prod(shape)), offset=offset)
    return numbers.reshape(shape)


def _save(path: Path, tensors: Mapping[str, Vectors]) -> None:
    """Whole or not at all, and the same bytes for the same tensors. Only one may do it at once."""
    header, end = {}, 0
    for name, tensor in sorted(tensors.items()):
        header[name] = {
            "dtype": "F32",
            "shape": list(tensor.shape),
            "data_offsets": [end, end := end + tensor.nbytes],
        }
    names = json.dumps(header, separators=(",", ":")).encode()
    names += b" " * (-len(names) % 8)  # numbers begin at a multiple of their size
    fresh = path.with_suffix(".new")
    try:
        with fresh.open("wb") as output:
            output.write(len(names).to_bytes(8, "little") + names)
            for _, tensor in sorted(tensors.items()):
                output.write(np.ascontiguousarray(tensor, "<f4").data)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
