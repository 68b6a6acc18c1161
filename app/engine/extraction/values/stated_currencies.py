"""The currencies that a page states for programs, such as the `priceCurrency` of an offer."""

import re
from collections import defaultdict
from collections.abc import Iterator

from app.engine.extraction.schema.measures import is_currency

_LINE = re.compile(r"^(?P<place>\S*(?i:currency))(?: content)? (?P<code>[A-Z]{3})$", re.MULTILINE)


class StatedCurrencies:
    """Reads the lines below the visible text of a page, which begin with the place of a value."""

    def __init__(self, stated: str) -> None:
        self._below: dict[str, set[str]] = defaultdict(set)
        for match in _LINE.finditer(stated):
            if is_currency(match["code"]):
                for above in _above(match["place"]):
                    self._below[above].add(match["code"])

    def of(self, pointer: str | None) -> str | None:
        """The code stated nearest to the value at `pointer`, which is that of its script block;
        None where there is none, or several are as near."""
        for above in _above(pointer):
            if codes := self._below.get(above):
                return min(codes) if len(codes) == 1 else None
        return None


def _above(pointer: str | None) -> Iterator[str]:
    """The places that hold a value, from the nearest to the whole page."""
    while pointer:
        pointer = pointer.rpartition("/")[0]
        if pointer:
            yield pointer
    yield ""
