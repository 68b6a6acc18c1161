"""Packs postings into bytes, and terms into numbers; the reverse of both is numpy."""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from hashlib import sha256
from itertools import chain, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

Packed = NDArray[np.void]

MOST = 32_767  # of a count; more of a term changes no score that matters
BUCKETS = 128
FULL = 240  # postings of a block: below the 2 kB from which Postgres stores a row out of line

POSTING = np.dtype([("passage", ">i4"), ("frequency", ">u2"), ("length", ">u2")])
FRESH = np.dtype([("term", ">i8"), ("posting", POSTING)])
PASSAGE = np.dtype(">i4")

ALL_TERMS = -1  # in place of a term: a small index is in one row, packed as FRESH
SMALL = 8_192  # postings, 128 kB: more in one row would be slower to read than blocks


@lru_cache(maxsize=200_000)
def term_of(lexeme: str) -> int:
    """The first 63 bits of the lexeme's SHA-256.

    Two lexemes of a million share a number with a chance of 1 in 10 million; they would count as
    one word.
    """
    return int.from_bytes(sha256(lexeme.encode()).digest()[:8]) & 0x7FFF_FFFF_FFFF_FFFF


def build(terms: Iterable[tuple[int, list[str]]]) -> Packed:
    """The postings (FRESH) of (passage id, its terms with repeats), one per distinct term."""
    numbers: list[int] = []
    frequencies: list[int] = []
    passages: list[Iterable[int]] = []
    lengths: list[Iterable[int]] = []
    for passage, own in terms:
        counts = Counter(own)
        numbers.extend(map(term_of, counts))
        frequencies.extend(counts.values())
        passages.append(repeat(passage, len(counts)))
        lengths.append(repeat(len(own), len(counts)))
    built = np.empty(len(numbers), FRESH)
    built["term"] = numbers
    built["posting"]["passage"] = list(chain.from_iterable(passages))
    built["posting"]["frequency"] = np.minimum(frequencies, MOST)
    built["posting"]["length"] = np.minimum(list(chain.from_iterable(lengths)), MOST)
    return built


def by_bucket(fresh: Packed) -> Iterator[tuple[int, bytes]]:
    return _grouped(fresh, fresh["term"].astype(np.int64) & (BUCKETS - 1))


def by_term(fresh: Packed) -> Iterator[tuple[int, bytes]]:
    terms = fresh["term"].astype(np.int64)
    return _grouped(np.ascontiguousarray(fresh["posting"]), terms)


def _grouped(rows: Packed, keys: NDArray[np.int64]) -> Iterator[tuple[int, bytes]]:
    if not len(rows):
        return
    order = np.argsort(keys, kind="stable")
    keys, packed, size = keys[order], rows[order].tobytes(), rows.itemsize
    starts = np.flatnonzero(np.diff(keys, prepend=keys[0] - 1))
    ends = [*starts[1:].tolist(), len(keys)]
    for key, start, end in zip(keys[starts].tolist(), starts.tolist(), ends, strict=True):
        yield key, packed[start * size : end * size]


def blocks(postings: bytes) -> Iterator[bytes]:
    """Cut into full blocks; the last is what is left over, if anything."""
    step = FULL * POSTING.itemsize
    return (postings[i : i + step] for i in range(0, len(postings), step))


def is_full(block: bytes) -> bool:
    return len(block) == FULL * POSTING.itemsize


def unpacked(rows: bytes | None, kind: np.dtype[Any]) -> NDArray[Any]:
    """The rows of what Postgres gave; none for NULL."""
    return np.frombuffer(rows or b"", kind)
