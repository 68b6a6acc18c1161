"""The probability of values, and how many of each probability were right.

Run `python -m bench.extract.calibration`: values of the sites that nobody fitted to, by the
probability they are shown with; `--docs` writes the table into `docs/explanation/extraction.md`.
`--fit` fits the weights of `app/engine/extraction/values/calibration.py` on the other half: recipe
pages as they are and without structured data, SWDE's pages alone, together and with an example, and
made up listings, which alone say something of rows. It writes `calibration_table.py`.

A list counts as right by its share (F1 of its items). Weights are those of a ridge regression, all
times `caution`: the greatest factor with which at least `_AIM` of the values are right that a fit
without their site holds for sure.
"""

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.extraction.records.extract import PageRecords
from app.engine.extraction.records.readings import Entity, FieldReading, Readings
from app.engine.extraction.schema.schema import Plan, plan
from app.engine.extraction.site.consensus import learn
from app.engine.extraction.site.examples import learn_example
from app.engine.extraction.site.template import Template
from app.engine.extraction.values.calibration import SURE_FROM, VALUE_FROM
from app.engine.extraction.values.calibration_table import WEIGHTS
from bench.extract import listings
from bench.extract.data import (
    RECIPE,
    RECIPES,
    SWDE,
    Page,
    half,
    recipes,
    swde,
    swde_schema,
    without_structure,
)
from bench.extract.quality import pairs, read
from bench.extract.scoring import folded, judged

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "app" / "engine" / "extraction" / "values" / "calibration_table.py"
DOCS = ROOT / "docs" / "explanation" / "extraction.md"
_MARKS = "<!-- made by bench.extract.calibration -->", "<!-- end -->"
_AS_THEY_ARE, _STRIPPED, _TAUGHT = "recipes", "recipes, stripped", "recipes, one example"
_ALONE, _TOGETHER, _EXAMPLE = "SWDE, alone", "SWDE, together", "SWDE, one example"
_LISTINGS = "listings"
# Ten pages of a site err alike, and a layout's rows even more.
_WEIGHTS = {_ALONE: 0.3, _TOGETHER: 0.3, _EXAMPLE: 0.3, _LISTINGS: 0.01}
_RIDGE = 2.0
_FOLDS = 8
_PASSES = 2  # pages of a site and examples weigh what a page alone says
_AIM = 0.95
_FEWEST = 20
_CAUTION = np.arange(1.0, 0.5, -0.05)
_FROM = (0.0, VALUE_FROM, 0.6, 0.7, 0.8, SURE_FROM, 0.95)

Floats = NDArray[np.float64]


class Case(NamedTuple):
    """The best reading of a field whose truth is known: how much of its value is right."""

    pages: str
    site: str
    field: str
    reading: FieldReading
    right: float

    @property
    def weight(self) -> float:
        return _WEIGHTS.get(self.pages, 1.0)


def cases(which: str) -> Iterator[Case]:
    """The values of the sites of a half."""
    if RECIPES.exists():
        yield from _of_recipes([page for page in recipes() if half(page.site) == which])
    else:
        print(f"skipped: {RECIPES} is absent")
    if SWDE.exists():
        for site, pages in swde().items():
            if half(site) == which:
                yield from _of_site(pages, plan(swde_schema(site)))
    else:
        print(f"skipped: {SWDE} is absent")
    yield from _of_listings(which)


def _of_recipes(pages: Sequence[Page]) -> Iterator[Case]:
    wanted = plan(RECIPE)
    stripped = [
        Page(page.site, page.url, without_structure(page.markup), page.truth) for page in pages
    ]
    for name, its in ((_AS_THEY_ARE, pages), (_STRIPPED, stripped)):
        for page in its:
            yield from _of_page(name, page, wanted, read(page, wanted))
    for page, example in pairs(stripped):
        taught = learn_example(example.markup, example.url, wanted, example.truth)
        yield from _of_page(_TAUGHT, page, wanted, read(page, wanted, taught), taught)


def _of_site(pages: Sequence[Page], wanted: Plan) -> Iterator[Case]:
    results = [read(page, wanted) for page in pages]
    template = learn(wanted, [each.readings for each in results if each])
    for page, result in zip(pages, results, strict=True):
        yield from _of_page(_ALONE, page, wanted, result)
        yield from _of_page(_TOGETHER, page, wanted, result, template)
    example = max(pages[:3], key=lambda page: len(page.truth))
    truth = {name: values[0] for name, values in example.truth.items()}
    taught = learn_example(example.markup, example.url, wanted, truth)
    for page in pages:
        if page is not example:
            yield from _of_page(_EXAMPLE, page, wanted, read(page, wanted, taught), taught)


def _of_page(
    name: str, page: Page, wanted: Plan, result: PageRecords | None, known: Template | None = None
) -> Iterator[Case]:
    if result is None or not result.readings.entities:
        return
    if known is not None and len(result.readings.entities) > 1:
        known = known.of_rows()
    entity = result.readings.entities[0]
    yield from _of_entity(name, page.site, page.truth, wanted, entity, known)


def _of_entity(
    name: str,
    site: str,
    truth: Mapping[str, Any],
    wanted: Plan,
    entity: Entity,
    known: Template | None,
) -> Iterator[Case]:
    for each in wanted.every():
        readings: Sequence[FieldReading] = entity.fields.get(each.pointer, ())
        if known is not None:
            readings = known.weighed(each.pointer, readings)
        if readings and each.name in truth and not readings[0].ambiguous:
            right = judged(each.name, readings[0].value, truth[each.name])[0]
            yield Case(name, site, each.name, readings[0], right)


def _of_listings(which: str) -> Iterator[Case]:
    for each in listings.listings(listings.HALVES[which], each=1):
        wanted = plan(each.schema)
        result = read(Page(each.layout, each.url, each.markup, {}), wanted)
        first = next(iter(each.schema["properties"]))
        truths = {folded(record[first]): record for record in each.records}
        for entity in (result.readings if result else Readings()).entities:
            named = entity.fields.get(f"/{first}", ())
            truth = truths.get(folded(named[0].value)) if named else None
            missing = dict.fromkeys(each.schema["properties"], "")
            yield from _of_entity(_LISTINGS, each.layout, truth or missing, wanted, entity, None)


def fit(found: Sequence[Case]) -> dict[str, float]:
    """The weights by feature. What a page, its site and an example say has features of its own."""
    weights: dict[str, float] = {}
    for part in ("stated, score", "shown, score", "own", "example"):
        its = [case for case in found if part in case.reading.evidence]
        weights |= _fit(part, its)
    return weights


def _fit(part: str, found: Sequence[Case]) -> dict[str, float]:
    names = sorted({name for case in found for name in case.reading.evidence})
    before = np.array([float(name == "own") for name in names])
    features = np.array([[case.reading.evidence.get(n, 0.0) for n in names] for case in found])
    right = np.array([case.right for case in found])
    weights = np.array([case.weight for case in found])
    sites = np.array([case.site for case in found])
    unseen = np.zeros(len(found))
    every = sorted(set(sites))
    for fold in range(_FOLDS):
        out = np.isin(sites, every[fold::_FOLDS])
        if out.any():
            fitted = ridge(features[~out], right[~out], weights[~out], before, _RIDGE)
            unseen[out] = features[out] @ fitted
    caution = next((c for c in _CAUTION if _sure(c * unseen, found) >= _AIM), _CAUTION[-1])
    caution = 1.0 if part == "own" else caution
    print(f"{part}: caution {caution:.2f}, right of the sure {_sure(caution * unseen, found):.3f}")
    fitted = caution * ridge(features, right, weights, before, _RIDGE)
    return {name: round(float(weight), 3) for name, weight in zip(names, fitted, strict=True)}


def ridge(
    features: Floats, right: Floats, weights: Floats, before: Floats, strength: float
) -> Floats:
    """Logistic regression by Newton's method, with a ridge around `before`; `right` may be
    shares."""
    fitted = before.copy()
    for _ in range(50):
        share = 1 / (1 + np.exp(-features @ fitted))
        slope = features.T @ (weights * (share - right)) + strength * (fitted - before)
        bend = (features * (weights * share * (1 - share))[:, None]).T @ features
        step = np.linalg.solve(bend + strength * np.eye(len(fitted)), slope)
        fitted -= step
        if abs(step).max() < 1e-8:
            break
    return fitted


def _sure(logits: Floats, found: Sequence[Case]) -> float:
    """The share of right values among those that are sure, of the set of pages where it is least;
    few values say nothing."""
    by_pages: dict[str, list[float]] = {}
    for logit, case in zip(logits, found, strict=True):
        if logit >= np.log(SURE_FROM / (1 - SURE_FROM)):
            by_pages.setdefault(case.pages, []).append(case.right)
    return min((fmean(its) for its in by_pages.values() if len(its) >= _FEWEST), default=1.0)


def write(weights: Mapping[str, float]) -> None:
    lines = "".join(f'    "{name}": {weight},\n' for name, weight in weights.items())
    TABLE.write_text(
        '"""Weights of `calibration`, made by `python -m bench.extract.calibration --fit`; those of'
        ' rows\nby `python -m bench.extract.row_calibration --fit`.\n"""\n\n'
        "from typing import Final\n\n"
        f"WEIGHTS: Final[dict[str, float]] = {{\n{lines}}}\n"
    )


def reliability(found: Sequence[Case]) -> list[str]:
    """The lines of a table in Markdown: by probability how many values were right."""
    lines = ["| probability | values | mean probability | right |", "|---|---|---|---|"]
    for low, high in zip(_FROM, (*_FROM[1:], 1.0), strict=True):
        its = [case for case in found if low <= case.reading.confidence < high]
        if its:
            mean = float(np.mean([case.reading.confidence for case in its]))
            right = float(np.mean([case.right for case in its]))
            name = f"{low:.2f} to {high:.2f}" if low else f"below {high:.2f}, not shown"
            lines.append(f"| {name} | {len(its)} | {mean:.2f} | {right:.2f} |")
    lines += ["", "| pages | sure values | right | unsure values | right | sure of all shown |"]
    lines.append("|---|---|---|---|---|---|")
    for pages in dict.fromkeys(case.pages for case in found):
        shown = [c for c in found if c.pages == pages and c.reading.confidence >= VALUE_FROM]
        sure = [case.right for case in shown if case.reading.confidence >= SURE_FROM]
        unsure = [case.right for case in shown if case.reading.confidence < SURE_FROM]
        cells = [str(len(sure)), _share(sure), str(len(unsure)), _share(unsure)]
        cells.append(f"{len(sure) / max(1, len(shown)):.2f}")
        lines.append(f"| {pages} | {' | '.join(cells)} |")
    return lines


def _share(right: Sequence[float]) -> str:
    return f"{np.mean(right):.3f}" if right else "–"


def into_docs(lines: Sequence[str]) -> None:
    begin, end = _MARKS
    made = "\n".join((begin, "", *lines, "", end))
    text = DOCS.read_text()
    parts = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    DOCS.write_text(parts.sub(lambda _: made, text))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fit", action="store_true", help="write the weights")
    parser.add_argument("--docs", action="store_true", help="write the table into the docs")
    chosen = parser.parse_args()
    if chosen.fit:
        for _ in range(_PASSES):
            weights = fit(list(cases("fit")))
            WEIGHTS.update(weights)
        print(*(f"{name:<24}{weight:+.2f}" for name, weight in weights.items()), sep="\n")
        write(WEIGHTS)
        return
    lines = reliability(list(cases("judged")))
    print(*lines, sep="\n")
    if chosen.docs:
        into_docs(lines)


if __name__ == "__main__":
    main()
