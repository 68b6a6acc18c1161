"""Items of lists without what the page puts around them: numbers before, the same words after."""

import re
from collections.abc import Sequence

from app.engine.extraction.text.onetext import OneText
from app.engine.extraction.text.slices import trimmed
from app.engine.extraction.text.stated import Leaf

_FEWEST_ALIKE = 3
_SHORTEST_ENDING = 4
_NUMBER = re.compile(
    r"(?:(?:step|étape|etape|schritt|paso|passo|passaggio|stap|steg|trin|krok|lépés)\s*)?"
    r"\d{1,3}\s*(?:[.:)|–—-]+(?!\s*\d)\s*|\n|$)",
    re.IGNORECASE,
)
_TITLES = r"\s*(?:[JS]r|Ph\.?D|M\.?[DA]|Esq|Inc|Ltd|LLC|GmbH)\b"
COMMA = rf",(?!(?<=\d,)\d|{_TITLES})"
"""A comma that may part items: none in a number, nor before what belongs to a name."""
_LINE, _SEMICOLON, _COMMA = re.compile("\n"), re.compile(";"), re.compile(COMMA)
_AND = re.compile(rf"{COMMA}|\s(?:and|und|et|y|e|en|og|och|&)\s")


def split(page: OneText, leaf: Leaf, *, prose: bool, people: bool = False) -> tuple[Leaf, ...]:
    """The items of a list that is written as one text: its lines, else its parts by commas,
    which do not part prose, and people by "and" as well."""
    quote = page.text[leaf.start : leaf.end]
    comma = _AND if people else _COMMA
    mark = _LINE if prose or "\n" in quote else _SEMICOLON if ";" in quote else comma
    marks = [match.span() for match in mark.finditer(quote)]
    begins, ends = [0, *(end for _, end in marks)], [*(start for start, _ in marks), len(quote)]
    slices = zip(begins, ends, strict=True)
    places = [trimmed(page, leaf.start + a, leaf.start + b, " \n") for a, b in slices]
    return tuple(leaf._replace(start=start, end=end) for start, end in places if start < end)


def unnumbered(page: OneText, leaves: tuple[Leaf, ...]) -> tuple[Leaf, ...]:
    """The items without their numbers, if most have one; bare numbers are left out."""
    if len(leaves) < 2:
        return leaves
    matches = [_NUMBER.match(page.text, leaf.start, leaf.end) for leaf in leaves]
    if sum(match is not None for match in matches) < 0.4 * len(leaves):
        return leaves
    kept: list[Leaf] = []
    for leaf, match in zip(leaves, matches, strict=True):
        start = match.end() if match else leaf.start
        if start < leaf.end:
            kept.append(leaf._replace(start=start))
    return tuple(kept) or leaves


def without_ending(page: OneText, leaves: tuple[Leaf, ...]) -> tuple[Leaf, ...]:
    """The items without the words at their end if all of them have the same, as a link there."""
    if len(leaves) < _FEWEST_ALIKE:
        return leaves
    ending = _common_ending([page.text[leaf.start : leaf.end] for leaf in leaves])
    if sum(map(str.isalpha, ending)) < _SHORTEST_ENDING:
        return leaves
    return tuple(leaf._replace(end=leaf.end - len(ending)) for leaf in leaves)


def _common_ending(texts: Sequence[str]) -> str:
    """The words that all texts end with, and the space before them."""
    shortest = min(texts, key=len)
    length = 0
    while length < len(shortest) and all(
        text[-length - 1] == shortest[-length - 1] for text in texts
    ):
        length += 1
    ending = shortest[len(shortest) - length :]
    return ending[ending.find(" ") :] if " " in ending else ""
