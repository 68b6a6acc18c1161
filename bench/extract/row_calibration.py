"""The probability that rows which repeat on a page are records, and the pages that yield some.

Run `python -m bench.extract.row_calibration [--folder DIR]`: by set of pages with rows, of the half
that nobody fitted to, the share whose rows become records. `--fit` fits the weights on the other
half, and writes them into `calibration_table.py`.

Rows of made up listings are right; those of other pages, asked for what the listings have, are not;
on manuals the share counts of which the index knows the name. A set weighs as the root of its
pages. Manuals are fetched with apt into the folder, and skipped where they cannot be had.
"""

import argparse
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from app.engine.extraction.records.likelihood import evidence
from app.engine.extraction.records.readings import Entity
from app.engine.extraction.schema.schema import plan
from app.engine.extraction.values import calibration
from app.engine.extraction.values.calibration import ROWS_FROM
from app.engine.extraction.values.calibration_table import WEIGHTS
from bench.extract import indexed_manuals
from bench.extract.calibration import ridge, write
from bench.extract.data import WCXB, Page, half, wcxb
from bench.extract.quality import read
from bench.extract.sources import listings

_MOST_OTHERS: Final = 60
_RIDGE: Final = 1.0
_ALWAYS: Final = 100.0  # a weight with which all rows are records
Schema = Mapping[str, Any]


class Case(NamedTuple):
    """The rows of a page, and how right they are as records."""

    pages: str
    features: Mapping[str, float]
    right: float


def cases(which: str, folder: Path) -> list[Case]:
    """The cases of a half, whatever the weights are."""
    before = WEIGHTS["row"]
    WEIGHTS["row"] = _ALWAYS
    found = [*_listings(which), *_others(which)]
    for package in indexed_manuals.HALVES[which]:
        found += _manual(package, folder)
    WEIGHTS["row"] = before
    return found


def _listings(which: str) -> Iterator[Case]:
    for each in listings.listings(listings.HALVES[which], each=1):
        page = Page(each.layout, each.url, each.markup, {})
        for schema, rows in _rows(page, each.schema):
            yield Case("listings", evidence(plan(schema), rows), 1.0)


def _others(which: str) -> Iterator[Case]:
    if not WCXB.exists():
        print(f"skipped: {WCXB} is absent")
        return
    schemas = [each.schema for each in listings.listings(listings.HALVES[which], each=1)]
    drawn = random.Random(5)
    pages = [page for _, page in wcxb() if half(page.site) == which]
    for page in drawn.sample(pages, min(len(pages), _MOST_OTHERS)):
        for schema, rows in _rows(page, drawn.choice(schemas)):
            yield Case("other pages", evidence(plan(schema), rows), 0.0)


def _manual(package: str, folder: Path) -> Iterator[Case]:
    for page in indexed_manuals.pages(package, folder):
        as_read = Page(package, f"http://127.0.0.1/{page.name}", page.markup, {})
        for schema, rows in _rows(as_read, page.schema):
            known = indexed_manuals.all_names(set().union(*page.objects.values()))
            name = "manuals, pages with objects" if known else "manuals, pages without"
            right = _share_known(rows, f"/{page.field_name}", known)
            yield Case(name, evidence(plan(schema), rows), right)


def _rows(page: Page, schema: Schema) -> Iterator[tuple[Schema, Sequence[Entity]]]:
    """The schema with the rows of the page, if it has several."""
    result = read(page, plan(schema))
    if result and len(result.readings.entities) > 1:
        yield schema, result.readings.entities


def _share_known(rows: Sequence[Entity], pointer: str, known: set[str]) -> float:
    best = [each.fields[pointer][0] for each in rows if pointer in each.fields]
    names = [indexed_manuals.bare(str(each.value)) for each in best]
    return sum(name in known for name in names) / max(1, len(names))


def fit(found: Sequence[Case]) -> dict[str, float]:
    names = sorted(found[0].features)
    counted = Counter(case.pages for case in found)
    weights = np.array([counted[case.pages] ** -0.5 for case in found])
    weights *= len(found) / weights.sum()
    features = np.array([[case.features[name] for name in names] for case in found])
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
        sets[case.pages].append((calibration.probability(case.features), case.right))
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
        WEIGHTS.update(fit(found))
        write()
    print(*report(found), sep="\n")


if __name__ == "__main__":
    main()
