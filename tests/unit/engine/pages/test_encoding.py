"""Bytes to text."""

import pytest

from app.engine.pages.formats.encoding import decode
from app.engine.pages.page import PageUnreadable


@pytest.mark.parametrize(
    ("body", "charset", "expected"),
    [
        (b"\xef\xbb\xbfn\xc3\xa4h", "iso-8859-1", "näh"),
        ("näh".encode("utf-16"), None, "näh"),
        (b"n\xe4h", "ISO-8859-1", "näh"),
        (b"\x93q\x94", "iso-8859-1", "“q”"),
        ("привет".encode("koi8-r"), "koi8-r", "привет"),
        ("天气".encode("gb18030"), "GB2312", "天气"),
        ("こんにちは".encode("shift_jis"), '"Shift_JIS"', "こんにちは"),
        ("こんにちは".encode("shift_jis"), "x-sjis", "こんにちは"),
        ("こんにちは".encode("cp932"), "Windows-31J", "こんにちは"),
        ("שלום".encode("iso8859-8"), "ISO-8859-8-I", "שלום"),
        ("näh".encode(), "iso-8859-1", "näh"),
        ("näh".encode(), "no-such-charset", "näh"),
        ("näh".encode(), "utf-7", "näh"),
        (b"rot13", "rot13", "rot13"),
        (b"n\xe4h sch\xf6n gr\xfc\xdfe", None, "näh schön grüße"),
        ("grüße ".encode() * 9 + b"\xff", "utf-8", "grüße " * 9 + "\ufffd"),
    ],
)
def test_bytes_are_decoded(body: bytes, charset: str | None, expected: str) -> None:
    assert decode(body, charset) == expected


@pytest.mark.parametrize(
    "markup",
    ['<meta charset="koi8-r">', "<meta http-equiv=x content='text/html; charset=koi8-r'>",
     '<?xml version="1.0" encoding="koi8-r"?>'],
)  # fmt: skip
def test_the_document_may_name_its_encoding(markup: str) -> None:
    assert decode(markup.encode() + "привет".encode("koi8-r"), None, markup=True) == (
        markup + "привет"
    )


@pytest.mark.parametrize("body", [bytes(range(32)) * 50, b"\x89PNG\r\n\x1a\n" + bytes(500)])
def test_binary_data_is_not_text(body: bytes) -> None:
    with pytest.raises(PageUnreadable, match="not_text"):
        decode(body, "utf-8")


def test_a_few_broken_letters_far_below_the_ascii_of_a_page_do_not_change_its_encoding() -> None:
    style = b"a { color: red }\n" * 15_000
    body = style + "Привет, мир. ".encode() * 20 + b"\xd0 \xd0"
    assert decode(body, "utf-8").count("Привет") == 20
