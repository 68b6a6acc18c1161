"""How probably a picture is the one that a page is about, and the fit of what says so.

Run `python -m bench.extract.picture_calibration`: of the recipe pages of the judged half without
structured data, how often the most probable picture is the true one. `--fit` fits the weights
of `app/engine/extraction/methods/images.py` on the other half, and writes them.
"""

import argparse
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urljoin

import numpy as np

from app.engine.extraction.methods.images import pictures
from app.engine.extraction.text.onetext import one
from app.engine.extraction.values import calibration
from app.engine.extraction.values.calibration_table import WEIGHTS
from app.engine.pages.formats.html import parse
from bench.extract.calibration import ridge, write
from bench.extract.data import RECIPES, half, recipes, without_structure
from bench.extract.scoring import is_right

_RIDGE = 1.0


class Case(NamedTuple):
    """A picture of a page, its features, and whether it is the true one."""

    page: int
    features: dict[str, float]
    right: bool


def cases(which: str) -> list[Case]:
    found: list[Case] = []
    for number, page in enumerate(recipes()):
        if half(page.site) != which or "image" not in page.truth:
            continue
        text = one(parse(without_structure(page.markup)))
        for each in pictures(text):
            leaf = each.candidate.leaves[0]
            address = urljoin(page.url, text.text[leaf.start : leaf.end])
            right = is_right("image", address, page.truth["image"])
            found.append(Case(number, each.evidence, right))
    return found


def fit(found: Sequence[Case]) -> dict[str, float]:
    names = sorted(found[0].features)
    features = np.array([[case.features[name] for name in names] for case in found])
    right = np.array([float(case.right) for case in found])
    fitted = ridge(features, right, np.ones(len(found)), np.zeros(len(names)), _RIDGE)
    return {name: round(float(weight), 3) for name, weight in zip(names, fitted, strict=True)}


def report(found: Sequence[Case]) -> list[str]:
    best: dict[int, tuple[float, bool]] = {}
    for case in found:
        probable = calibration.probability(case.features)
        best[case.page] = max(best.get(case.page, (0.0, False)), (probable, case.right))
    held = {case.page for case in found if case.right}
    right = sum(right for _, right in best.values())
    return [
        f"pages with pictures {len(best)}, with the true one {len(held)}, chosen rightly {right}, "
        f"mean probability {np.mean([probable for probable, _ in best.values()]):.2f}"
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fit", action="store_true", help="write the weights")
    fits = parser.parse_args().fit
    if not RECIPES.exists():
        print(f"skipped: {RECIPES} is absent")
        return
    found = cases("fit" if fits else "judged")
    if fits:
        WEIGHTS.update(fit(found))
        write()
        print(*(f"{name:<24}{WEIGHTS[name]:+.2f}" for name in found[0].features), sep="\n")
    print(*report(found), sep="\n")


if __name__ == "__main__":
    main()
