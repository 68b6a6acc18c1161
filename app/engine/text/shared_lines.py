"""Terms of texts that share lines, each of which is analysed once."""

from collections.abc import Sequence

from app.engine.text import analysis
from app.engine.text.analysis import is_cut


class SharedLines:
    """The terms of many texts below the same few lines, such as the passages of one page below its
    title and headings: these may be long, and stand above thousands of passages."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str | None], list[str] | None] = {}

    def terms(self, lines: Sequence[str], text: str, language: str | None) -> list[str]:
        """Returns what `analysis.terms` finds in `lines` and `text`, joined by line ends.

        No term reaches over a line end, so the terms of the whole are those of its lines in a row,
        unless some grow so much that the analysis cuts them.
        """
        above = [self._line(line, language) for line in lines]
        if is_cut(text) or None in above:
            return analysis.terms("\n".join([*lines, text]), language)
        terms = [term for line in above if line is not None for term in line]
        terms += analysis.terms(text, language)
        return terms

    def _line(self, line: str, language: str | None) -> list[str] | None:
        """The terms of a shared line; None when it has to be read with what is around it."""
        key = line, language
        if key not in self._known:
            whole = None if is_cut(line) else analysis.terms(line, language)
            self._known[key] = whole
        return self._known[key]
