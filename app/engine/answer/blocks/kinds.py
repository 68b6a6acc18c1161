"""The kinds of lines of stored text: rows, items, listings, questions."""

import re
from collections.abc import Sequence
from itertools import pairwise

_JUDGED = 200  # code points of a line that say whether it is code

STOPS = re.compile(r"[.!?…。！？؟।:：;][\"”'’»)\]]*$")
ENDS_OPEN = re.compile(r"[:：]\**$|\b(?:the following|as follows|wie folgt|folgende[mnrs]?)\.$")
ITEM = re.compile(r"(?:[-*•–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s")
ASKS = re.compile(r"[?？؟][\"”'’)]*$")
_CODE = re.compile(
    r"^\s{2,}\S|[{};]\s*$|^\s*(?:[$>#%]|>>>|\.\.\.)\s|^\s*</?\w+|\w\([^()]*\)\s*;?\s*$|"
    r"^(?:\.\.\.|[A-Z]:)\\[^\s>]*>\s|^\s*@\w|"
    r"^\s*(?:\.{1,2}|~|\.\w+)?/[\w.]|^\s*[\w.\[\]'\"]{1,60}\s*=\s*\S|^\s*--?\w"
)
_ENDS_SENTENCE = re.compile(r"(?<!\\)[.!?…:][\"”'’)]*$")
_SQL = re.compile(
    r"(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|ALTER|DROP|PRAGMA|WITH|BEGIN|COMMIT|EXPLAIN|"
    r"FROM|WHERE|ORDER BY|GROUP BY|VALUES|SET|JOIN|LEFT JOIN|GRANT|REVOKE|VACUUM|ATTACH)\b"
    r"(?!.*[a-z]{2}[.:]$)"
)
_WRAPPED = range(50, 100)  # code points of the longest line of wrapped text
CODE_SIGNS = re.compile(r"\s--?\w|[=<>{};|]|\w_\w|\$\w")


def is_row(line: str) -> bool:
    """True if cells stand beside each other; what is indented is a pipe in a listing."""
    return (" | " in line or line.startswith("| ")) and not line[:2].isspace()


def is_listing(lines: list[str]) -> bool:
    """True if half of the lines look like code, and the last one does not end a sentence.

    Dots alone stand for code that is left out.
    """
    last = lines[-1][-20:]
    if _ENDS_SENTENCE.search(last) and last.strip(" .…"):
        return False
    if len(lines) == 1 and lines[0][0].islower() and CODE_SIGNS.search(lines[0][:_JUDGED]):
        return True
    if _SQL.match(lines[0]) and (last.endswith(";") or len(lines) > 1):
        return True
    coded = sum(bool(_CODE.search(line[:_JUDGED])) for line in lines)
    return 2 * coded >= len(lines)


def is_wrapped(lines: Sequence[str]) -> bool:
    """True if most lines end within a sentence because the next word had no room."""
    width = max(len(line.rstrip()) for line in lines)
    pairs = list(pairwise(lines))
    if pairs and not is_full(*pairs[0], width):
        del pairs[0]
    wrapped = sum(is_full(a, b, width) and not STOPS.search(a.rstrip()[-20:]) for a, b in pairs)
    return width in _WRAPPED and bool(pairs) and 2 * wrapped > len(pairs)


def is_full(line: str, below: str, width: int) -> bool:
    """True if the first word of the line below had no room on a line."""
    word = below.split(maxsplit=1)[:1]
    return bool(word) and len(line.rstrip()) + 1 + len(word[0]) > width
