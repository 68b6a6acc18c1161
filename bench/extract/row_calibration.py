"""The probability that rows which repeat on a page are records, and that a page is one by itself.

Run `python -m bench.extract.row_calibration [--folder DIR]`: by set of pages, of the half
that nobody fitted to, the share whose rows become records, or which become one. `--fit` fits the
weights on the other half, and writes them into `calibration_table.py`.

Rows of made up listings are right; those of other pages, asked for what the listings have, are not;
on manuals the share counts of which the index knows the name, and of what they are asked for and do
not have, none is right. A set weighs as the root of its pages. Manuals are fetched with apt into
the folder, and skipped where they cannot be had.
"""

import argparse
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final, NamedTuple

import numpy as np

from app.engine.extraction.records.readings import Entity, Readings
from app.engine.extraction.schema.schema import plan
from app.engine.extraction.values import calibration
from app.engine.extraction.values.calibration import ROWS_FROM
from app.engine.extraction.values.calibration_table import WEIGHTS
from bench.extract import drawn_records, indexed_manuals
from bench.extract.calibration import ridge, write
from bench.extract.data import SWDE, WCXB, Page, half, swde, swde_schema, wcxb
from bench.extract.indexed_manuals import ABSENT
from bench.extract.quality import read
from bench.extract.sources import listings
from bench.extract.sources.manuals import MANUALS

_MOST_OTHERS: Final = 60
_RIDGE: Final = 1.0
_ALWAYS: Final = 100.0  # a weight with which all rows, and all pages, are records
PARTS: Final = ("row", "thing")
Schema = Mapping[str, Any]


class Case(NamedTuple):
    """The rows of a page, or the page by itself, and how right that is as records."""

    pages: str
    features: Mapping[str, float]
    right: float


def cases(which: str, folder: Path) -> list[Case]:
    """The cases of a half, whatever the weights are."""
    before = {name: WEIGHTS[name] for name in PARTS}
    WEIGHTS.update(dict.fromkeys(PARTS, _ALWAYS))
    found = [*_listings(which), *_others(which), *_things(which), *_lines(which, folder)]
    found += _terms(folder) if which == "fit" else ()
    for package in indexed_manuals.HALVES[which]:
        found += _manual(package, folder)
    WEIGHTS.update(before)
    return found


def _listings(which: str) -> Iterator[Case]:
    for each in listings.listings(listings.HALVES[which], each=1):
        page = Page(each.layout, each.url, each.markup, {})
        for readings in _read(page, each.schema):
            yield Case("listings", readings.evidence, 1.0)


def _others(which: str) -> Iterator[Case]:
    if not WCXB.exists():
        print(f"skipped: {WCXB} is absent")
        return
    schemas = [each.schema for each in listings.listings(listings.HALVES[which], each=1)]
    drawn = random.Random(5)
    pages = [page for _, page in wcxb() if half(page.site) == which]
    for page in drawn.sample(pages, min(len(pages), _MOST_OTHERS)):
        for readings in _read(page, drawn.choice(schemas)):
            yield Case("other pages", readings.evidence, 0.0)


def _things(which: str) -> Iterator[Case]:
    """Pages about one thing each, asked for it and for something else."""
    if not SWDE.exists():
        print(f"skipped: {SWDE} is absent")
        return
    for site, pages in swde().items():
        if half(site) == which:
            absent = _of(ABSENT[0], "description")
            for page in pages:
                for schema in (swde_schema(site), absent):
                    for readings in _read(page, schema):
                        is_one = schema is not absent and "thing" in readings.evidence
                        yield Case("sites", readings.evidence, float(is_one))


def _lines(which: str, folder: Path) -> Iterator[Case]:
    """Pages of manuals that are about one thing each, asked for it and for something else."""
    for manual in (each for each in MANUALS if each.half == which):
        own, absent = manual.schema, _of(ABSENT[0], "description")
        for page in manual.read(indexed_manuals.MOST_PAGES, folder):
            for schema in (own, absent):
                first = next(iter(schema["properties"]))
                for readings in _read(page, schema):
                    truth = page.truth.get(first) if schema is own else None
                    names = (each.fields.get(f"/{first}", ()) for each in readings.entities)
                    right = fmean(bool(its) and its[0].value == truth for its in names)
                    yield Case(f"{manual.name}, pages about one", readings.evidence, right)


def _terms(folder: Path) -> Iterator[Case]:
    """Pages that are made of terms, asked for them and for something else."""
    for manual in drawn_records.MAIN:
        for path in drawn_records.paths(manual, folder) if manual.of_terms else ():
            markup = path.read_text(encoding="utf-8", errors="replace")
            page = Page(manual.name, f"http://127.0.0.1/{path.name}", markup, {})
            for schema in (manual.schema, _of(ABSENT[0], "description")):
                for readings in _read(page, schema):
                    right = float(ABSENT[0] not in schema["properties"])
                    yield Case("pages of terms", readings.evidence, right)


def _of(*names: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "string"} for name in names}}


def _manual(package: str, folder: Path) -> Iterator[Case]:
    found = list(indexed_manuals.pages(package, folder))
    absent = f"absent:{indexed_manuals.absent_in(package, found)}" if found else ""
    for page in (*found, *(page._replace(role=absent, objects={}) for page in found)):
        as_read = Page(package, f"http://127.0.0.1/{page.name}", page.markup, {})
        for readings in _read(as_read, page.schema):
            known = indexed_manuals.all_names(page.objects.get(page.role, set()))
            name = "manuals, pages with objects" if known else "manuals, pages without"
            name = "manuals, asked for what they lack" if page.role == absent else name
            right = _share_known(readings.entities, f"/{page.field_name}", known)
            yield Case(name, readings.evidence, right)


def _read(page: Page, schema: Schema) -> Iterator[Readings]:
    """The readings of the page, if it has rows, or may be a record."""
    result = read(page, plan(schema))
    if result and result.readings.entities and result.readings.evidence:
        yield result.readings


def _share_known(rows: Sequence[Entity], pointer: str, known: set[str]) -> float:
    best = [each.fields[pointer][0] for each in rows if pointer in each.fields]
    names = [indexed_manuals.bare(str(each.value)) for each in best]
    return sum(name in known for name in names) / max(1, len(names))


def fit(found: Sequence[Case]) -> dict[str, float]:
    names = sorted({name for case in found for name in case.features})
    counted = Counter(case.pages for case in found)
    weights = np.array([counted[case.pages] ** -0.5 for case in found])
    weights *= len(found) / weights.sum()
    features = np.array([[case.features.get(name, 0.0) for name in names] for case in found])
    right = np.array([case.right for case in found])
    fitted = ridge(features, right, weights, np.zeros(len(names)), _RIDGE)
    return {name: round(float(weight), 3) for name, weight in zip(names, fitted, strict=True)}


def report(found: Sequence[Case]) -> list[str]:
    """The lines of a table in Markdown."""
    lines = [
        "| pages with rows | number | rows right | mean probability | become records |",
        "|---|---|---|---|---|",
    ]
    sets: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for case in found:
        part = "rows" if "row" in case.features else "the page"
        sets[f"{case.pages}: {part}"].append((calibration.probability(case.features), case.right))
    for name, each in sets.items():
        probable, right = np.array(each).T
        lines.append(
            f"| {name} | {len(each)} | {right.mean():.2f} | {probable.mean():.2f} "
            f"| {(probable >= ROWS_FROM).mean():.2f} |"
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fit", action="store_true", help="write the weights")
    parser.add_argument("--folder", type=Path, help="where the manuals are or are put")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        found = cases("fit" if chosen.fit else "judged", chosen.folder or Path(temporary))
    if chosen.fit:
        for part in PARTS:
            WEIGHTS.update(fit([case for case in found if part in case.features]))
        write()
    print(*report(found), sep="\n")


if __name__ == "__main__":
    main()
