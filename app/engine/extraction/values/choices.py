"""Slices that name one of a few values: enumerations, yes and no."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any, Final

MAX_CHARACTERS: Final = 300
# The sign of a number and the one before its decimals are no space: 4.5 is neither 4 nor 45.
_NOT_WORD = re.compile(r"(?:(?!(?<=\d)[.,]\d|(?<!.)-\d)[\W_])+", re.DOTALL)
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
    plain = unicodedata.normalize("NFKC", _CAMEL.sub(" ", text.strip().replace("−", "-")))
    return _NOT_WORD.sub(" ", plain.casefold()).replace(",", ".").strip()


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
    return _by_prefix(text, name, folded)


def yes_or_no(text: str) -> bool | None:
    """Reads a slice that is "yes", "out of stock" or a tick and nothing else."""
    if len(text) > MAX_CHARACTERS:
        return None
    stripped = _last_segment(text.strip())
    for word in (stripped, fold(stripped)):
        if word in _SAYS:
            return _SAYS[word]
    return None


def _by_prefix(text: str, name: str, folded: Sequence[tuple[str, Any]]) -> Any | None:
    """ "In stock, 3 left" begins with the value; "Wed" is how one value begins."""
    longer = [x for x in folded if _begins(name, x[0])]
    if longer:
        longest = max(len(spelling) for spelling, _ in longer)
        rest = f" {name[longest:]} "
        if any(spelling and f" {spelling} " in rest for spelling, _ in folded):
            return None  # "low / high"
        alike = [value for spelling, value in longer if len(spelling) == longest]
        # `C` and `C++` differ by their signs alone: the slice has to begin with these.
        exact = [x for x in alike if len(alike) == 1 or text.strip().startswith(str(x))]
        return max(exact, key=lambda value: len(str(value)), default=None)
    begun = [value for spelling, value in folded if spelling.startswith(name)]
    return begun[0] if len(begun) == 1 and len(name) >= _PREFIX else None


def _begins(name: str, spelling: str) -> bool:
    """True if a name goes on behind a spelling: `3.11.2` behind `3.11`, `2.5` not behind `2`."""
    end = name[len(spelling) : len(spelling) + 1]
    return (
        bool(spelling)
        and name.startswith(spelling)
        and (end in ("", " ") or (end == "." and "." in spelling))
    )


def _last_segment(text: str) -> str:
    """`InStock` of https://schema.org/InStock."""
    is_address = text.startswith(("http://", "https://"))
    return re.split(r"[/#]", text.rstrip("/"))[-1] if is_address else text


def _squeezed(text: str) -> str:
    return text.replace(" ", "")


def _spelled(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
