"""Bytes to text, as browsers do it: byte order mark, HTTP, the document's own word, a guess."""

import codecs
import re

from charset_normalizer import from_bytes

from app.engine.pages.page import PageUnreadable, Unreadable

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_IN_MARKUP = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{2,30})"
    rb"|<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([\w.:-]{2,30})",
    re.IGNORECASE,
)
# Labels mean more than they say (WHATWG Encoding Standard, section 4.2).
_MEANT = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
# Labels of browsers that Python has no codec for: `x-sjis` is sjis, `x-gbk` gbk.
_PREFIXED = re.compile(r"^x-(?!user-defined)")
_ALIASES = {
    "iso-8859-8-i": "iso8859-8",
    "logical": "iso8859-8",
    "windows-31j": "cp932",
    "windows-874": "cp874",
    "dos-874": "cp874",
    "windows-949": "cp949",
}
_ACCEPTED = re.compile(
    r"utf-8|utf-16(?:-[lb]e)?|cp125[0-8]|cp866|cp874|cp932|cp949|iso8859-\d+|koi8-[rut]|gb18030"
    r"|big5hkscs|euc_jp|iso2022_jp|johab|mac-(?:roman|cyrillic)"
)
# Of other scripts than the Latin one, where spreadsheets and editors state none.
_GUESSED = [
    "cp932", "euc_jp", "gb18030", "big5hkscs", "cp949", "cp1251", "koi8_r", "cp866", "cp1253",
    "cp1255", "cp1256", "cp874",
]  # fmt: skip
_FOREIGN = 0.5  # of the letters: in Latin ones a tenth or two are beyond ASCII
_LOOKED_AT, _LINES = 200_000, 8_192
_TAG = re.compile(rb"<[^<>]{0,1000}>")
_LATIN = re.compile(rb"[A-Za-z]")
_SEARCHED = 4_096
_ASCII = bytes(range(128))
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def decode(body: bytes, charset: str | None, *, markup: bool = False) -> str:
    """The text of `body`. `charset` is what HTTP said; `markup` asks the document as well.

    A wrong declaration loses to valid UTF-8. What is neither declared nor UTF-8 is guessed by its
    letters. Bytes that fit no encoding become U+FFFD.
    Raises PageUnreadable(NOT_TEXT) for binary data, whatever it is declared to be.
    """
    text = _decode(body, charset, markup)
    sample = text[:20_000]
    if len(_CONTROLS.findall(sample)) > 0.02 * len(sample) or (
        sample.count("\ufffd") > 0.1 * len(sample)
    ):
        raise PageUnreadable(Unreadable.NOT_TEXT)
    return text


def _decode(body: bytes, charset: str | None, markup: bool) -> str:
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    declared = _known(charset) or (_in_markup(body) if markup else None) or "utf-8"
    # Single-byte and UTF-16 decoders take anything, so valid UTF-8 outweighs what is declared.
    if declared == "utf-8" or (not declared.startswith("iso2022") and _is_utf8(body)):
        return _utf8_or_guessed(body)
    return body.decode(declared, "replace")


def _in_markup(body: bytes) -> str | None:
    match = _IN_MARKUP.search(body[:_SEARCHED])
    declared = _known((match[1] or match[2]).decode("ascii", "replace")) if match else None
    # A declaration that could be read as ASCII is not in UTF-16.
    return "utf-8" if declared is not None and declared.startswith("utf-16") else declared


def _known(charset: str | None) -> str | None:
    label = (charset or "").strip().strip("\"'").lower()
    try:
        name = codecs.lookup(_PREFIXED.sub("", _ALIASES.get(label, label))).name
    except (LookupError, ValueError):
        return None
    name = _MEANT.get(name, name)
    return name if _ACCEPTED.fullmatch(name) else None


def _is_utf8(body: bytes) -> bool:
    try:
        return not body.decode("utf-8").isascii()
    except UnicodeDecodeError:
        return False


def _utf8_or_guessed(body: bytes) -> str:
    text = body.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    if broken > 1 and broken > 0.2 * len(body.translate(None, _ASCII)):
        return body.decode(_guessed(body), "replace")
    return text


def _guessed(body: bytes) -> str:
    """The likely encoding of what is no UTF-8: that of Western languages, unless most letters are
    beyond ASCII."""
    lines = _TAG.sub(b"", body[:_LOOKED_AT]).splitlines()
    sample = b"\n".join(line for line in lines if not line.isascii())
    if len(sample) > _LINES:
        end = sample.rfind(b"\n", 0, _LINES)  # of a line: no character is cut
        sample = sample[: end if end > 0 else _LINES]
    foreign = len(sample.translate(None, _ASCII))
    if foreign <= _FOREIGN * (foreign + len(_LATIN.findall(sample))):
        return "cp1252"
    best = from_bytes(sample, cp_isolation=_GUESSED, enable_fallback=False).best()
    return best.encoding if best else "cp1252"
