"""Titles: lines of stored text that stand above what they name."""

import re
from collections.abc import Sequence
from typing import Final

from app.engine.answer.blocks.kinds import CODE_SIGNS, ITEM, STOPS, is_row

_MOST_WORDS: Final = 14
_LONGEST: Final = 200  # code points
_NUMBERED_TITLE: Final = re.compile(r"\d{1,3}(?:\.\d{1,3})+\.? +[^\W\d_a-z]")
_ENDS_WITH_ASIDE: Final = re.compile(r"\w \([^()]*\)$")
_NAME: Final = re.compile(r"[^\W\d][\w.-]*")
_ENDS_LIKE_TEXT: Final = re.compile(r"[.!?…:;,。！？؟।|)\]}>\"'”»`]$")
_BEGINS_LIKE_CODE: Final = re.compile(r"(?:[-*•–]|\d+[)]|[$>#./@{}\[\]()]|\w+ ?[=({\[]|--?\w|\s)")


def ends_with_title(lines: Sequence[str]) -> bool:
    """True if the last line stands under whole sentences as the title of what follows."""
    *above, last = lines
    sentences = above and all(STOPS.search(line[-20:]) for line in above)
    return bool(sentences) and is_title(last) and not ITEM.match(last) and not is_row(last)


def is_title(line: str) -> bool:
    """True if a line that stands alone, with something under it, is a title of what follows."""
    if len(line) > _LONGEST or len(line.split()) > _MOST_WORDS:
        return False
    if _NUMBERED_TITLE.match(line) and not STOPS.search(line):
        return True
    ends_like_text = _ENDS_LIKE_TEXT.search(line) and not _ENDS_WITH_ASIDE.search(line)
    if ends_like_text or " — " in line or (" " in line and line[0].islower()):
        return False
    return bool(_NAME.fullmatch(line)) or not (
        _BEGINS_LIKE_CODE.match(line) or CODE_SIGNS.search(line)
    )
