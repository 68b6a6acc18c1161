"""Twenty-five records of each of some manuals, drawn at random, for somebody to read and judge.

Run `python -m bench.extract.drawn_records [--folder DIR] [--set NAME]`. All pages of a manual, or
up to 40 of one with an index, are read as those of one host are, without an example. Each record is
printed with the name of its page, of long texts the beginning. Packages are fetched with apt into
the folder, and skipped where they cannot be had.
"""

import argparse
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from app.engine.extraction.records.records import Record, assemble
from app.engine.extraction.schema.schema import Plan, plan
from app.engine.extraction.site.consensus import learn
from bench.extract import indexed_manuals
from bench.extract.indexed_manuals import FITTED, ManualPage, fetch, readings_of

SEED: Final = 22
DRAWN: Final = 25
_LONGEST: Final = 160
_TEXT: Final = {"type": "string"}


class Manual(NamedTuple):
    """Pages of a package, and the fields to ask for; `of_terms`: each is made of such terms."""

    name: str
    package: str
    paths: tuple[str, ...]
    fields: tuple[str, ...]
    of_terms: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "object", "properties": dict.fromkeys(self.fields, _TEXT)}


MAIN: Final = (
    Manual(
        "PostgreSQL, glossary and acronyms",
        "postgresql-doc-15",
        ("html/glossary.html", "html/acronyms.html"),
        ("term", "definition"),
        of_terms=True,
    ),
    Manual(
        "PostgreSQL, SQL commands",
        "postgresql-doc-15",
        ("html/sql-*.html",),
        ("statement", "description"),
    ),
    Manual(
        "Apache, glossary",
        "apache2-doc",
        ("en/glossary.html",),
        ("term", "definition"),
        of_terms=True,
    ),
    Manual(
        "Apache, directives",
        "apache2-doc",
        ("en/mod/*.html",),
        ("directive", "syntax", "default", "description"),
    ),
    Manual(
        "git, glossary", "git-doc", ("gitglossary.html",), ("term", "definition"), of_terms=True
    ),
    Manual("git, commands", "git-doc", ("git-*.html",), ("command", "purpose")),
    Manual(
        "SQLite, functions",
        "sqlite3-doc",
        ("lang_corefunc.html",),
        ("function", "description"),
        of_terms=True,
    ),
)
UNSEEN: Final = (
    "python-moderngl-doc", "coreboot-utils-doc", "python-pyrcb2-doc", "openshot-qt-doc",
)  # fmt: skip
"""Of `indexed_manuals.PACKAGES`, drawn by seed 22."""
LATER: Final = (
    Manual(
        "Slurm, commands", "slurm-wlm-doc", ("s[a-z]*.html",), ("command", "description"),
    ),
)  # fmt: skip
"""With `LATER_INDEXED` the manuals that were read once before they were looked at for causes."""
LATER_INDEXED: Final = FITTED[-4:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="where the packages are or are put")
    parser.add_argument(
        "--set", choices=("main", "unseen", "fitted", "later", "last", "newest"), default="main"
    )
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for name, its in _manuals(chosen.set, chosen.folder or Path(temporary)):
            show(name, its)


def show(name: str, found: Mapping[str, tuple[Record, ...]]) -> None:
    every = [(page, record) for page, its in found.items() for record in its]
    print(f"\n{name}: {len(every)} records of {len(found)} pages")
    for page, record in random.Random(SEED).sample(every, min(DRAWN, len(every))):
        print(f"  {page}")
        for field, value in record.data.items():
            print(f"    {field}: {str(value)[:_LONGEST]!r}")
        if not record.data:
            print("    only candidates")


def _manuals(which: str, folder: Path) -> Iterator[tuple[str, Mapping[str, tuple[Record, ...]]]]:
    manuals = {"main": MAIN, "later": LATER}
    for each in manuals.get(which, ()):
        yield each.name, of_manual(each, folder)
    packages = {
        "unseen": UNSEEN,
        "fitted": FITTED,
        "later": LATER_INDEXED,
        "last": indexed_manuals.LAST,
        "newest": indexed_manuals.NEWEST,
    }
    for package in packages.get(which, ()):
        yield package, of_index(package, folder)


def of_manual(manual: Manual, folder: Path) -> Mapping[str, tuple[Record, ...]]:
    """The records of each page by its path."""
    pages = [
        ManualPage(path.name, path.read_text(encoding="utf-8", errors="replace"), "", {})
        for path in paths(manual, folder)
    ]
    return _records(pages, plan(manual.schema))


def paths(manual: Manual, folder: Path) -> list[Path]:
    """The pages of a manual in their order; none where it cannot be had."""
    root = folder / manual.package
    if not root.exists() and (why := fetch(manual.package, root)):
        print(f"skipped: {manual.package}: {why}")
        return []
    return sorted(
        path for form in manual.paths for path in root.rglob(form) if not path.is_symlink()
    )


def of_index(package: str, folder: Path) -> Mapping[str, tuple[Record, ...]]:
    """The records of each page of a manual with an index, asked for its commonest role."""
    found = list(indexed_manuals.pages(package, folder))
    return _records(found, plan(found[0].schema)) if found else {}


def _records(pages: Sequence[ManualPage], wanted: Plan) -> Mapping[str, tuple[Record, ...]]:
    read = {page.name: readings_of(page, wanted) for page in pages}
    template = learn(wanted, list(read.values()))
    return {name: assemble(wanted, readings, template) for name, readings in read.items()}


if __name__ == "__main__":
    main()
