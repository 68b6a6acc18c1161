"""Slices as texts: trimmed, white space folded, markup resolved."""

import html
import re
from collections.abc import Sequence
from typing import Final

MAX_CHARACTERS: Final = 20_000
_EDGES = " \t\r\n\u00a0:–—-|•·"
_SIGN = re.compile(r"-{1,2}$")
_OPEN = re.compile(r"\d[–—-]\s*$")  # 2019– goes on
_SPACE = re.compile(r"\s+")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_TAGS = "a|abbr|b|br|code|div|em|font|h[1-6]|hr|i|img|li|ol|p|small|span|strong|sub|sup|u|ul"
_TAG = re.compile(rf"</?(?:{_TAGS})(?:\s[^<>]{{0,1000}})?/?>|<!--[^<>]{{0,1000}}-->", re.IGNORECASE)
_BY = re.compile(
    r"^(?:(?:written|posted|published|text|words|story|recipe|geschrieben|écrit|escrito|scritto) )?"
    r"(?:by|von|par|por|di|door|av|af)\b\s*:?\s*(?=\S)",
    re.IGNORECASE,
)
_MARKER = re.compile(r"^\s*(?:[•·▪◦‣*]|[–-](?=\s)|\d{1,3}[.)](?=\s))\s*(?=\S)")
_NOTHING = re.compile(
    r"n\.?\s?/\s?a\.?|n\.\s?a\.|tb[acd]|not applicable|k\.\s?a\.|keine angaben?|nicht angegeben"
    r"|to be (?:announced|confirmed|decided|determined)|not (?:given|specified|stated)"
    r"|non (?:communiqué|précisé|renseigné|connu)e?"
    r"|not known|nicht bekannt|none (?:given|known|listed|recorded|stated)"
    r"|see (?:notes?|text|below|above|description)|siehe (?:unten|oben|text|beschreibung)"
    r"|voir (?:notes?|texte|ci-dessous|description)",
    re.IGNORECASE,
)
_DOUBTED = re.compile(
    r"^(?:unknown|unbekannt|inconnue?|desconocid[oa]|sconosciut[oa])$"
    r"|[^\s:.] [^\W\d_]\w+: \S| : \S|[,;] \+?[\d(][\d ()/-]{7,}\d$"
    r"|, (?:[JS]r|Ph\.?D|M\.?(?:[DAP]|Sc)|B\.?(?:A|Sc)|Esq)\.?, \S",
    re.IGNORECASE,
)
_NOTE = re.compile(r"(?:\s\(|（)[^()（）\n]+[)）]$")


def trimmed(text: str) -> str:
    """Without white space, dashes, colons and bullets at its ends, but for signs of a word."""
    stripped = text.strip(_EDGES)
    if _OPEN.search(text):
        stripped += text.rstrip()[-1]
    sign = _SIGN.search(text[: text.find(stripped[:1])]) if stripped else None
    if sign and (stripped[0].isdigit() or sign.start() == 0):
        return f"{sign[0] if sign.start() == 0 else '-'}{stripped}"
    return stripped


def collapsed(text: str) -> str:
    return _SPACE.sub(" ", trimmed(text))


def resolved(text: str) -> str:
    """Text in which structured data holds HTML: tags go, entities become their characters."""
    plain = _TAG.sub(" ", html.unescape(text)) if _ENTITY.search(text) else _TAG.sub(" ", text)
    return collapsed(plain)


def has_markup(text: str) -> bool:
    return bool(_ENTITY.search(text) or _TAG.search(text))


def says_nothing(text: str) -> bool:
    """True if a slice says that there is no value: "n/a"."""
    return bool(_NOTHING.fullmatch(text.strip(_EDGES)))


def note(text: str) -> int | None:
    """The place of the brackets that a text ends in, of which nobody knows if they belong to it:
    `Left (No. 3)`."""
    found = _NOTE.search(text)
    return found.start() if found else None


def is_doubted(text: str) -> bool:
    """True if less than a value may be said, or more: with another label, a number to call, or
    somebody's degree and what they belong to behind it."""
    return bool(_DOUBTED.search(text))


def without_by(text: str) -> str:
    """`Jane Doe` for "By Jane Doe"."""
    return _BY.sub("", text)


def without_marker(text: str) -> str:
    """An item of a list without its bullet or number."""
    return _MARKER.sub("", text)


def is_one_name(parts: Sequence[str]) -> bool:
    """True if two parts may be one person: "Doe, Jane"."""
    return len(parts) == 2 and not any(" " in part for part in parts)
