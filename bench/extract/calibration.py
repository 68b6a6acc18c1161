"""The probability of values, and how many of each probability were right.

Run `python -m bench.extract.calibration [--folder DIR]`: values of the sites that nobody fitted to,
by the probability they are shown with; `--docs` writes the table into
`docs/explanation/extraction.md`. `--fit` fits the model of
`app/engine/extraction/values/calibration.py` on the other half, and writes `calibration_table.py`.

A list counts as right by its share (F1 of its items). Weights are those of a ridge regression. From
which probability values are sure is chosen by what a fit without their site says of them: the most
values of which `_AIM` are right by a lower bound, of each part of the model, groups with few right
ones left out. The bound counts values of a site as less than so many of different ones, by how
alike the values of a site are that are nearly sure.
"""

import argparse
import re
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from app.engine.extraction.values.calibration import MOST, SURE_ALONE, SURE_FROM, VALUE_FROM, group
from app.engine.extraction.values.calibration_table import SURE, WEIGHTS
from bench.extract.calibration_cases import Case, cases

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "app" / "engine" / "extraction" / "values" / "calibration_table.py"
DOCS = ROOT / "docs" / "explanation" / "extraction.md"
_MARKS = "<!-- made by bench.extract.calibration -->", "<!-- end -->"
_RIDGE, _FIXED = 2.0, 1e6
_FOLDS = 8
_PASSES = 2  # pages of a site and examples weigh what a page alone says
_AIM = 0.95
_ALONE = 0.9  # the bound of a group by itself: good ones do not carry one of which little is known
_DOUBT = 0.3  # how often the lower bound may be too high
_LEAST_ALIKE = 0.05
_NEARLY = 0.8  # values from here tell how alike those of a site are
_FEWEST = 24  # values of a kind of pages that can reach the aim: 0.95 ** 24 is below `_DOUBT`
_LEAST = np.arange(SURE_FROM, MOST, 0.005)
_FROM = (0.0, VALUE_FROM, 0.6, 0.7, 0.8, SURE_FROM, 0.95)

Floats = NDArray[np.float64]


def fit(found: Sequence[Case]) -> tuple[dict[str, float], dict[str, float]]:
    """The weights by feature, and by group the probability from which values are sure. What a page,
    its site and an example say has features of its own."""
    weights: dict[str, float] = {}
    sure: dict[str, float] = {}
    for part in ("stated, score", "shown, score", "own", "example"):
        its = [case for case in found if part in case.reading.evidence]
        fitted, unseen = _fit(its)
        weights |= fitted
        groups: dict[str, list[tuple[float, Case]]] = defaultdict(list)
        for probable, case in zip(unseen, its, strict=True):
            groups[group(case.reading.evidence)].append((probable, case))
        groups.pop(SURE_ALONE, None)  # they are sure whatever the site says
        rows = {name: groups.pop(name) for name in ("shown, in a row",) if name in groups}
        for some in (rows, groups):
            shown = [case for its in some.values() for probable, case in its if probable >= _NEARLY]
            sure |= sure_from(some, correlation(shown))
    return weights, sure


def _fit(found: Sequence[Case]) -> tuple[dict[str, float], Floats]:
    """The weights, and how probable each value is by a fit without its site."""
    names = sorted({name for case in found for name in case.reading.evidence} - {SURE_ALONE})
    before = np.array([float(name == "own") for name in names])
    strength = np.where(before, _FIXED, _RIDGE)  # what the page alone says counts as it is
    features = np.array([[case.reading.evidence.get(n, 0.0) for n in names] for case in found])
    right = np.array([case.right for case in found])
    weights = np.array([case.weight for case in found])
    sites = np.array([case.site for case in found])
    unseen = np.zeros(len(found))
    every = sorted(set(sites))
    for fold in range(_FOLDS):
        out = np.isin(sites, every[fold::_FOLDS])
        if out.any():
            fitted = ridge(features[~out], right[~out], weights[~out], before, strength)
            unseen[out] = features[out] @ fitted
    fitted = ridge(features, right, weights, before, strength)
    rounded = {name: round(float(weight), 3) for name, weight in zip(names, fitted, strict=True)}
    return rounded, np.minimum(MOST, 1 / (1 + np.exp(-unseen)))


def sure_from(groups: Mapping[str, Sequence[tuple[float, Case]]], alike: float) -> dict[str, float]:
    """By group the least probability from which its values, with those of the groups before it, are
    right, and nearly so by themselves; the groups with most right values first, and none for one
    that can not. Values of a site are `alike` by so much."""
    best: dict[str, float] = {}
    chosen: list[Case] = []
    order = {name: _right_of(high) for name, its in groups.items() if (high := _high(its))}
    for name in sorted(order, key=lambda name: -order[name]):
        for least in map(float, _LEAST):
            more = _high(groups[name], least)
            if more and lower_bound(more, alike) >= _ALONE and are_right([*chosen, *more], alike):
                best[name] = round(least, 3)
                chosen += more
                break
    for name, its in groups.items():
        sure = len(_high(its, best[name])) if name in best else 0
        print(f"{name}: {len(its)} values, {sure} sure from {best.get(name, 'no probability')}")
    return best


def _high(found: Sequence[tuple[float, Case]], least: float = SURE_FROM) -> list[Case]:
    return [case for probable, case in found if probable >= least]


def _right_of(found: Sequence[Case]) -> float:
    return fmean(case.right for case in found)


def are_right(found: Sequence[Case], alike: float) -> bool:
    """True if at least `_AIM` of such values are right by a lower bound, also of every kind of
    pages with enough of them: `stripped`, `alone`, `one example`; and as they are, of every set of
    pages: easy sites do not carry others."""
    kinds: dict[str, list[Case]] = defaultdict(list)
    sets: dict[str, list[Case]] = defaultdict(list)
    for case in found:
        kinds[case.pages.rpartition(", ")[2]].append(case)
        sets[case.pages].append(case)
    judged = [found, *(its for its in kinds.values() if len(its) >= _FEWEST)]
    return all(lower_bound(its, alike) >= _AIM for its in judged) and all(
        _right_of(its) >= _AIM for its in sets.values() if len(its) >= _FEWEST
    )


def lower_bound(found: Sequence[Case], alike: float) -> float:
    """Clopper and Pearson's lower bound of the share of right values. Values of a site err alike:
    so many are worth no more than `n / (1 + (n - 1) * alike)` of different sites."""
    number = right = 0.0
    for its in _by_site(found).values():
        worth = 1 / (1 + (len(its) - 1) * alike)
        number, right = number + worth * len(its), right + worth * sum(its)
    shares = np.linspace(0.0, 1.0, 2_001)[1:-1]
    logs = (right - 1) * np.log(shares) + (number - right) * np.log(1 - shares)
    below = np.cumsum(np.exp(logs - logs.max()))
    return float(shares[np.searchsorted(below / below[-1], _DOUBT)])


def correlation(found: Sequence[Case]) -> float:
    """The intraclass correlation of being right among the values of a site, on average over sets of
    pages; at least `_LEAST_ALIKE`: where all is right it shows nothing."""
    by_pages: dict[str, list[Case]] = defaultdict(list)
    for case in found:
        by_pages[case.pages].append(case)
    known = [(_correlation(its), sum(case.weight for case in its)) for its in by_pages.values()]
    weight = sum(each for _, each in known)
    return sum(alike * each for alike, each in known) / weight if weight else _LEAST_ALIKE


def _correlation(found: Sequence[Case]) -> float:
    """By the analysis of variance."""
    sites = list(_by_site(found).values())
    number, every = len(found), fmean(case.right for case in found)
    if not 1 < len(sites) < number:
        return _LEAST_ALIKE
    between = sum(len(its) * (fmean(its) - every) ** 2 for its in sites) / (len(sites) - 1)
    within = sum((right - fmean(its)) ** 2 for its in sites for right in its)
    within /= number - len(sites)
    size = (number - sum(len(its) ** 2 for its in sites) / number) / (len(sites) - 1)
    whole = between + (size - 1) * within
    return max(_LEAST_ALIKE, (between - within) / whole) if whole > 0 else _LEAST_ALIKE


def _by_site(found: Sequence[Case]) -> dict[str, list[float]]:
    sites: dict[str, list[float]] = defaultdict(list)
    for case in found:
        sites[case.site].append(case.right)
    return sites


def ridge(
    features: Floats, right: Floats, weights: Floats, before: Floats, strength: Floats | float
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


def write() -> None:
    """Write the tables as they are now."""
    weights, sure = (
        "".join(f'    "{name}": {weight},\n' for name, weight in table.items())
        for table in (WEIGHTS, SURE)
    )
    TABLE.write_text(
        '"""Weights of `calibration`, made by `python -m bench.extract.calibration --fit`; those of'
        ' rows\nby `python -m bench.extract.row_calibration --fit`.\n"""\n\n'
        "from typing import Final\n\n"
        f"WEIGHTS: Final[dict[str, float]] = {{\n{weights}}}\n"
        f"SURE: Final[dict[str, float]] = {{\n{sure}}}\n"
        '"""By group of values the probability from which they are sure; others never are."""\n'
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
    parser.add_argument("--fit", action="store_true", help="write the model")
    parser.add_argument("--docs", action="store_true", help="write the table into the docs")
    parser.add_argument("--folder", type=Path, help="where the manuals are or are put")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.folder or Path(temporary)
        if chosen.fit:
            refit(folder)
            return
        lines = reliability(list(cases("judged", folder)))
    print(*lines, sep="\n")
    if chosen.docs:
        into_docs(lines)


def refit(folder: Path) -> None:
    for _ in range(_PASSES):
        weights, sure = fit(list(cases("fit", folder)))
        WEIGHTS.update(weights)
        SURE.clear()
        SURE.update(sure)
    write()


if __name__ == "__main__":
    main()
