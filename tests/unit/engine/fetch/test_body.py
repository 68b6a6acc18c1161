"""Bodies are inflated in small pieces and never past their limit."""

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.fetch.body import BodyBuffer, TooLarge, gunzip, gunzip_file


def pieces(data: bytes, size: int) -> list[bytes]:
    return [data[i : i + size] for i in range(0, len(data), size)]


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=3), st.integers(1, 50))
def test_members_are_inflated_however_they_are_cut(members: list[bytes], size: int) -> None:
    packed = b"".join(gzip.compress(member) for member in members)
    assert b"".join(gunzip(pieces(packed, size))) == b"".join(members)


@given(st.binary(max_size=60), st.integers(1, 20))
def test_damage_is_told_by_two_errors_only(data: bytes, size: int) -> None:
    try:
        b"".join(gunzip(pieces(b"\x1f\x8b" + data, size)))
    except (zlib.error, EOFError):
        return


def test_padding_after_the_last_member_is_dropped() -> None:
    assert b"".join(gunzip([gzip.compress(b"a") + b"\0" * 9, b"\0"])) == b"a"


def test_an_empty_stream_is_an_empty_body() -> None:
    assert b"".join(gunzip([])) == b""


def test_no_piece_is_larger_than_64_kib() -> None:
    assert max(len(piece) for piece in gunzip([gzip.compress(bytes(1 << 20))])) <= 65536


@given(st.binary(max_size=100), st.integers(1, 20))
def test_a_gzip_file_is_unpacked_and_other_content_left_alone(data: bytes, size: int) -> None:
    assert b"".join(gunzip_file(pieces(gzip.compress(data), size))) == data
    if not data.startswith(b"\x1f\x8b"):
        assert b"".join(gunzip_file(pieces(data, size))) == data


def test_a_full_body_refuses_more() -> None:
    collected = BodyBuffer(3, truncate=False)
    collected.add_all([b"ab", b"c"])
    with pytest.raises(TooLarge):
        collected.add_all([b"d"])


def test_a_truncated_body_asks_for_nothing_more() -> None:
    collected = BodyBuffer(3, truncate=True)
    rest = iter([b"abcd", b"never read"])
    collected.add_all(rest)
    assert (collected.body(), collected.truncated, list(rest)) == (b"abc", True, [b"never read"])
