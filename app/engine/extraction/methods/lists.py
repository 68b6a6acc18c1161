"""Items of lists without the numbers that the page puts before them."""

import re

from app.engine.extraction.text.onetext import OneText
from app.engine.extraction.text.stated import Leaf

_NUMBER = re.compile(
    r"(?:(?:step|étape|etape|schritt|paso|passo|passaggio|stap|steg|trin|krok|lépés)\s*)?"
    r"\d{1,3}\s*(?:[.:)|–—-]+(?!\s*\d)\s*|\n|$)",
    re.IGNORECASE,
)


def unnumbered(page: OneText, leaves: tuple[Leaf, ...]) -> tuple[Leaf, ...]:
    """The items without their numbers if most of them have one; items that are nothing but a
    number are left out."""
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
