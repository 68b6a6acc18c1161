"""Slices that name one of a few values: enumerations, yes and no."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any, Final

MAX_CHARACTERS: Final = 300
_NOT_WORD = re.compile(r"[\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_PREFIX: Final = 3
_YES: Final = (
    "yes|y|true|on|ja|oui|si|sí|sim|да|tak|はい|是|有|✓|✔|✅|☑|1|included|available|in stock|"
    "enabled|auf lager|lieferbar|en stock|disponible|disponibile|disponível|op voorraad"
)
_NO: Final = (
    "no|n|false|off|nein|non|não|нет|nie|nee|いいえ|否|无|✗|✘|❌|☒|0|unavailable|sold out|none|"
    "out of stock|not available|discontinued|disabled|ausverkauft|nicht lieferbar|"
    "nicht verfügbar|épuisé|agotado|esaurito|esgotado|uitverkocht"
)
_SAYS: Final = dict.fromkeys(_YES.split("|"), True) | dict.fromkeys(_NO.split("|"), False)


def fold(text: str) -> str:
    """Words in lower case, parted by single spaces; `InStock` and `in_stock` are "in stock"."""
    plain = unicodedata.normalize("NFKC", _CAMEL.sub(" ", text))
    return _NOT_WORD.sub(" ", plain.casefold()).strip()


def choose(text: str, values: Sequence[Any]) -> Any | None:
    """The value that a slice names: folded, else the one that begins like it; never the nearest."""
    if len(text) > MAX_CHARACTERS:
        return None
    name = fold(_last_segment(text))
    if not name:
        return next((value for value in values if str(value) == text.strip()), None)
    folded = [(fold(_spelled(value)), value) for value in values]
    same = [value for spelling, value in folded if _squeezed(spelling) == _squeezed(name)]
    if same:
        return same[0] if len(same) == 1 else next((x for x in same if x == text.strip()), None)
    return _by_prefix(name, folded)


def yes_or_no(text: str) -> bool | None:
    """Reads a slice that is "yes", "out of stock" or a tick and nothing else."""
    if len(text) > MAX_CHARACTERS:
        return None
    stripped = _last_segment(text.strip())
    for word in (stripped, fold(stripped)):
        if word in _SAYS:
            return _SAYS[word]
    return None


def _by_prefix(name: str, folded: Sequence[tuple[str, Any]]) -> Any | None:
    """ "In stock, 3 left" begins with the value; "Wed" is how one value begins."""
    longer = [x for x in folded if x[0] and f"{name} ".startswith(f"{x[0]} ")]
    if longer:
        longest = max(len(spelling) for spelling, _ in longer)
        return next(value for spelling, value in longer if len(spelling) == longest)
    begun = [value for spelling, value in folded if spelling.startswith(name)]
    return begun[0] if len(begun) == 1 and len(name) >= _PREFIX else None


def _last_segment(text: str) -> str:
    """`InStock` of https://schema.org/InStock."""
    is_address = text.startswith(("http://", "https://"))
    return re.split(r"[/#]", text.rstrip("/"))[-1] if is_address else text


def _squeezed(text: str) -> str:
    return text.replace(" ", "")


def _spelled(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
