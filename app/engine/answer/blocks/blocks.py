"""The blocks around a line of stored text: headings, terms, lists, listings, tables, steps.

A snapshot is plain text. Blocks are parted by blank lines; the items of a list, the rows of a table
(cells parted by " | ") and a term with its description stand on adjacent lines.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

MAX_LINES = 14  # taken after a colon
MAX_STEPS = 8
MAX_TERM = 300  # code points
_TERM_LINES = 3
_HEADING_WORDS = 14

ENDS_OPEN = re.compile(r"[:：]\**$")
_MARKDOWN_HEADING = re.compile(r"#{1,6}\s")
_ENDS_SENTENCE = re.compile(r"[.!?…:;,。！？؟।|)\]}>\"'”»`]$")
ENDS_SENTENCE = re.compile(r"[.!?…。！？؟।][\"”'’»)\]]*$")
_STOPS = re.compile(r"[.!?…。！？؟।:：;,][\"”'’»)\]]*$")
_CODE_SIGNS = re.compile(r"\s--?\w|[=<>{};|]|\w_\w|\$\w")
_NAME = re.compile(r"[^\W\d][\w.-]*")  # of a setting, a module: what follows is about it
_STEP = re.compile(r"\d{1,2}[.)]\s")
_BEGINS_LIKE_CODE = re.compile(r"(?:[-*•–]|\d+[.)]|[$>#./@{}\[\]()]|\w+[ ]?[=({\[]|--?\w|\s)")


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence or line; `mute` when it cannot be an answer."""

    start: int
    end: int
    heading: bool
    mute: bool
    terms: tuple[str, ...]


def looks_like_heading(text: str, spans: Sequence[tuple[int, int]], i: int) -> bool:
    """A short line of its own between blank lines, without a stop, with something under it.

    "name — what it does" is how a manual page says what its subject is.
    """
    start, end = spans[i]
    line = text[start:end]
    if _MARKDOWN_HEADING.match(line):
        return True
    alone = text[:start].rstrip(" ").endswith("\n\n") or not text[:start].strip()
    return (
        alone
        and text[end:].startswith("\n\n")
        and i + 1 < len(spans)
        and len(line.split()) <= _HEADING_WORDS
        and not _ENDS_SENTENCE.search(line)
        and " — " not in line
        and not (i and ENDS_OPEN.search(text[slice(*spans[i - 1])]))  # code under a lead-in
        and (_NAME.fullmatch(line) is not None or not _looks_like_code(line))
    )


def _looks_like_code(line: str) -> bool:
    return bool(_BEGINS_LIKE_CODE.match(line) or _CODE_SIGNS.search(line))


def is_row(line: str) -> bool:
    """True if cells stand beside each other; what is indented is a pipe in a listing."""
    return (" | " in line or line.startswith("| ")) and not line[:2].isspace()


def is_header(snapshot: str, pieces: Sequence[Piece], i: int) -> bool:
    """True if piece `i` is the first of two rows or more."""
    if not is_row(_text(snapshot, pieces[i])) or not _adjacent_below(snapshot, pieces, i):
        return False
    follows = i > 0 and _gap(snapshot, pieces, i) == 1 and is_row(_text(snapshot, pieces[i - 1]))
    return not follows and is_row(_text(snapshot, pieces[i + 1]))


def term_of_own(snapshot: str, pieces: Sequence[Piece], i: int) -> bool:
    """True if piece `i` is a term or signature whose description stands under it."""
    j = i + 1
    while j < len(pieces) and j - i <= _TERM_LINES and _gap(snapshot, pieces, j) == 1:
        top = _term_start(snapshot, pieces, j)
        if top is not None:
            return top <= i
        j += 1
    return False


def term_above(snapshot: str, pieces: Sequence[Piece], i: int) -> tuple[int, int] | None:
    """The indexes of the first line of the term or signature, and of the first sentence of its
    description, when piece `i` is a sentence of that description's first paragraph."""
    first = i
    while first and _gap(snapshot, pieces, first) == 0:
        first -= 1
    top = _term_start(snapshot, pieces, first)
    return None if top is None else (top, first)


def _term_start(snapshot: str, pieces: Sequence[Piece], i: int) -> int | None:
    """The first of up to three lines without a stop, under a blank line and directly above the
    full sentence `i`, which begins a block's last line."""
    if not _STOPS.search(_text(snapshot, pieces[i])) or _in_list(snapshot, pieces, i):
        return None
    top = i
    while top and i - top < _TERM_LINES and _is_term(snapshot, pieces, top):
        top -= 1
    if top == i or (top and _gap(snapshot, pieces, top) == 1):
        return None
    return top


def _is_term(snapshot: str, pieces: Sequence[Piece], i: int) -> bool:
    """True if the line above piece `i` could be a term, not an item or the end of a sentence."""
    above = _text(snapshot, pieces[i - 1])
    return (
        _gap(snapshot, pieces, i) == 1
        and len(above) <= MAX_TERM
        and not is_row(above)
        and not above.startswith((">>>", "$ ", "- ", "* "))
        and not _STOPS.search(above)
    )


def _in_list(snapshot: str, pieces: Sequence[Piece], i: int) -> bool:
    """True if the line of piece `i` is followed by another line of the same block."""
    end = snapshot.find("\n", pieces[i].end)
    return end >= 0 and not snapshot.startswith("\n\n", end) and end + 1 < len(snapshot)


def block_under(snapshot: str, pieces: Sequence[Piece], i: int, most: int) -> int:
    """Finds the end of the list or code under the lead-in `i`, within `most` code points of its
    start.

    The first block is always meant; of those behind it, what is not a paragraph or lead-in of its
    own. What does not fit is cut behind a whole block, or else behind a whole line.
    """
    start, end = pieces[i].start, pieces[i].end
    whole = end
    table = i + 1 < len(pieces) and is_row(_text(snapshot, pieces[i + 1]))
    for j in range(i + 1, min(len(pieces), i + 1 + MAX_LINES)):
        piece = pieces[j]
        new_block = _gap(snapshot, pieces, j) > 1
        if new_block and j > i + 1:
            whole = end
        if piece.mute or (new_block and j > i + 1 and (table or _new_prose(snapshot, piece))):
            return end
        if piece.end - start > most:
            return whole if whole > pieces[i].end else end
        end = piece.end
    cut = i + 1 + MAX_LINES < len(pieces) and _gap(snapshot, pieces, i + 1 + MAX_LINES) < 2
    return whole if cut and whole > pieces[i].end else end


def _new_prose(snapshot: str, piece: Piece) -> bool:
    line = _text(snapshot, piece)
    return bool(_STOPS.search(line)) and not _BEGINS_LIKE_CODE.match(line)


def steps_around(snapshot: str, pieces: Sequence[Piece], i: int, most: int) -> tuple[int, int]:
    """The numbered steps of which piece `i` is one, from the first, as far as they fit."""
    first = i
    while first and i - first < MAX_STEPS and _is_step(snapshot, pieces[first - 1]):
        first -= 1
    if pieces[i].end - pieces[first].start > most:
        first = i
    start, end = pieces[first].start, pieces[i].end
    for piece in pieces[i + 1 : first + MAX_STEPS]:
        if not _is_step(snapshot, piece) or piece.end - start > most:
            break
        end = piece.end
    return start, end


def _is_step(snapshot: str, piece: Piece) -> bool:
    return bool(_STEP.match(snapshot, piece.start, piece.end))


def _adjacent_below(snapshot: str, pieces: Sequence[Piece], i: int) -> bool:
    return i + 1 < len(pieces) and _gap(snapshot, pieces, i + 1) == 1


def _gap(snapshot: str, pieces: Sequence[Piece], i: int) -> int:
    """Line ends between piece `i` and the one before it; 2 or more for a blank line."""
    if not i:
        return 2
    return snapshot.count("\n", pieces[i - 1].end, pieces[i].start)


def _text(snapshot: str, piece: Piece) -> str:
    return snapshot[piece.start : piece.end]
