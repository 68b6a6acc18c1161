"""Currencies and units that a page states for programs: `priceCurrency`, `unitCode`."""

import re
from collections import defaultdict
from collections.abc import Iterator

from app.engine.extraction.schema.measures import is_currency
from app.engine.extraction.schema.schema import Field
from app.engine.extraction.values.currencies import signs
from app.engine.text.units import unit

_LINE = re.compile(
    r"^(?:meta )?(?P<place>\S*(?i:currency))(?: content)? (?P<code>[A-Z]{3})$", re.MULTILINE
)
_UNIT = re.compile(r"^(?P<place>\S*)/unit(?:Text|Code) (?P<unit>\S{1,20})$", re.MULTILINE)
_CODES = {
    "MGM": "mg", "GRM": "g", "KGM": "kg", "TNE": "t", "ONZ": "oz", "LBR": "lb", "MMT": "mm",
    "CMT": "cm", "MTR": "m", "KMT": "km", "INH": "in", "FOT": "ft", "MLT": "ml", "LTR": "l",
    "SEC": "s", "MIN": "min", "HUR": "h", "DAY": "d",
}  # fmt: skip


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


class StatedMeasures:
    """Reads in the same lines which currency and unit the numbers have beside which they stand."""

    def __init__(self, stated: str) -> None:
        self._currencies = StatedCurrencies(stated)
        self._units = {match["place"]: match["unit"] for match in _UNIT.finditer(stated)}

    def differ(self, field: Field, text: str, pointer: str | None) -> bool:
        """True if the number at `pointer`, written as `text`, is not known to be in the currency
        or the unit of its field, though the page states one."""
        if field.currency and not signs(text):
            return self._currencies.of(pointer) not in (None, field.currency)
        stated = self._units.get((pointer or "").rpartition("/")[0])
        if stated is None or field.unit is None:
            return False
        known = unit(_CODES.get(stated, stated))
        return known is None or known.symbol != field.unit


def _above(pointer: str | None) -> Iterator[str]:
    """The places that hold a value, from the nearest to the whole page."""
    while pointer:
        pointer = pointer.rpartition("/")[0]
        if pointer:
            yield pointer
    yield ""
