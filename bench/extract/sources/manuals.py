"""Manuals that a distribution has as packages, with the true record of each page.

Install them with `apt-get install git-doc postgresql-doc apache2-doc sqlite3-doc python3-doc`. The
truth is read by a pattern from the markup that each manual makes itself. Rules may be made with an
eye on the manuals of the half "fit".
"""

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench.extract.data import Page

_ROOT: Final = Path("/usr/share/doc")
_TAG: Final = re.compile(r"<[^>]*>")
_TEXT: Final = {"type": "string"}


class Manual(NamedTuple):
    """A manual: where its pages are, and where its markup has each field; the first is required."""

    name: str
    half: str
    pages: str
    fields: dict[str, str]

    @property
    def schema(self) -> dict[str, Any]:
        properties = dict.fromkeys(self.fields, _TEXT)
        return {"type": "object", "properties": properties, "required": [next(iter(properties))]}

    def read(self, most: int, folder: Path = _ROOT) -> Iterator[Page]:
        """Up to `most` of its pages, spread over all of them, installed or unpacked in a folder."""
        places = (self.pages, f"*/usr/share/doc/{self.pages}")
        paths = sorted({path for each in places for path in folder.glob(each)})
        for path in paths[:: len(paths) // most + 1]:
            markup = path.read_text(encoding="utf-8", errors="replace")
            truth = {name: value for name in self.fields if (value := self._value(name, markup))}
            if truth:
                url = f"https://{self.name}.example/{path.relative_to(folder)}"
                yield Page(self.name, url, markup, truth)

    def _value(self, field: str, markup: str) -> str:
        found = re.search(self.fields[field], markup, re.DOTALL)
        return " ".join(html.unescape(_TAG.sub("", found[1])).split()) if found else ""


MANUALS: Final = (
    Manual(
        "git",
        "fit",
        "git/html/git-*.html",
        {
            "command": r"<h2>NAME</h2>\s*<div[^>]*>\s*<p>(\S+) -\s",
            "purpose": r"<h2>NAME</h2>\s*<div[^>]*>\s*<p>\S+ -\s(.*?)</p>",
        },
    ),
    Manual(
        "postgresql",
        "fit",
        "postgresql-doc-*/html/sql-*.html",
        {
            "statement": r'"refnamediv">.*?<p>(.*?) — ',
            "description": r'"refnamediv">.*?<p>.*? — (.*?)</p>',
        },
    ),
    Manual(
        "apache",
        "judged",
        "apache2-doc/manual/en/mod/mod_*.html",
        {
            "name": r"<h1>Apache Module (\w+)</h1>",
            "description": r'dict\.html#Description">.*?<td>(.*?)</td>',
            "status": r'module-dict\.html#Status">.*?<td>(.*?)</td>',
            "source_file": r'module-dict\.html#SourceFile">.*?<td>(.*?)</td>',
        },
    ),
    Manual("sqlite", "judged", "sqlite3/c3ref/*.html", {"title": r"</h2></a>\s*<h2>(.*?)</h2>"}),
    Manual(
        "python",
        "judged",
        "python3.[0-9][0-9]/html/library/*.html",
        {
            "module": r"<title>(\w[\w.]*) — .*? &#8212; Python",
            "summary": r"<title>\w[\w.]* — (.*?) &#8212; Python",
        },
    ),
)
