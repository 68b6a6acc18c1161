"""Rows of tables that narrow screens show as cards: each cell says the name of its column.

The roles stay what they are when CSS displays the parts of a table as blocks (ARIA in HTML, 3).
"""

import re
from itertools import count
from typing import Final

from markupsafe import Markup

_COLUMN: Final = re.compile(r'<th scope="col"([^>]*)>(.*?)</th>', re.DOTALL)
_TAG: Final = re.compile(r"<[^>]*>")
_PART: Final = re.compile(r"<(thead|tbody|tr|td|th)\b([^>]*)>")
_SPAN: Final = re.compile(r'\bcolspan="(\d{1,3})"')
_ROLES: Final = {"thead": "rowgroup", "tbody": "rowgroup", "tr": "row", "td": "cell"}


def table_cards(table: Markup) -> Markup:
    """The rows of a table, of which the head names the columns, with roles and names."""
    head, body, rows = str(table).partition("<tbody")
    names = [_text(column) for column in _COLUMN.findall(head)]
    return Markup(_PART.sub(_of_head, head) + _with_names(body + rows, names))  # noqa: S704


def _text(column: tuple[str, str]) -> str:
    """The name of a column, already escaped; none of one that is hidden."""
    written = _TAG.sub("", column[1])
    return "" if "unseen" in column[1] else " ".join(written.split()).replace('"', "&#34;")


def _of_head(part: re.Match[str]) -> str:
    name, attributes = part.groups()
    return f'<{name}{attributes} role="{_ROLES.get(name, "columnheader")}">'


def _with_names(rows: str, names: list[str]) -> str:
    columns = count()

    def named(part: re.Match[str]) -> str:
        nonlocal columns
        name, attributes = part.groups()
        if name == "tr":
            columns = count()
        if name not in ("td", "th"):
            return f'<{name}{attributes} role="{_ROLES[name]}">'
        place, spanned = next(columns), _SPAN.search(attributes)
        for _ in range(int(spanned[1]) - 1 if spanned else 0):
            next(columns)
        role = "rowheader" if name == "th" else "cell"
        label = names[place] if place < len(names) and not spanned and name == "td" else ""
        shown = f' data-label="{label}"' if label else ""
        return f'<{name}{attributes} role="{role}"{shown}>'

    return _PART.sub(named, rows)
