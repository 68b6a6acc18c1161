"""How right extracted records are, by field, site and method, without a model.

Recipes of many sites as they are, without any structured data, and that with one other page of the
site given as an example; SWDE's pages of one site each alone, together, and with one example; made
up listing pages of many layouts. How values are compared says `bench/extract/scoring.py`.

Sites and layouts are in two halves: rules were made with an eye on "fit" only. `--floors` judges
all of them and exits 1 when a figure is worse than what this was known to reach, less a little;
with `--quick` it judges a few, by floors of their own.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from app.engine.extraction.records.extract import PageRecords, extract
from app.engine.extraction.records.records import Record, assemble
from app.engine.extraction.schema.schema import Plan, plan
from app.engine.extraction.site.consensus import learn
from app.engine.extraction.site.examples import learn_example
from app.engine.extraction.site.template import Template
from app.engine.pages.page import PageUnreadable
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
from bench.extract.scoring import Scores, in_turn, judged
from bench.extract.sources import listings

# Of all pages, and of those that `--quick` reads.
SURE_FLOORS = {
    "recipes": (0.97, 0.97),
    "recipes, stripped": (0.96, 0.96),
    "recipes, one example": (0.94, 0.935),
    "SWDE, alone": (0.96, 0.96),
    "SWDE, together": (0.96, 0.96),
    "SWDE, one example": (0.98, 0.955),
    "listings, fields": (0.99, 0.99),
}
"""Of the values that are sure, so many are right."""
FLOORS = {
    "recipes": (0.915, 0.825),
    "recipes, stripped": (0.615, 0.74),
    "recipes, one example": (0.80, 0.795),
    "SWDE, alone": (0.755, 0.83),
    "SWDE, together": (0.81, 0.945),
    "SWDE, one example": (0.935, 0.96),
    "listings, record recall": (0.975, 0.95),
}


@dataclass(slots=True)
class Figures:
    """By set of pages the macro F1 (of listings the record recall) and how it comes about, and the
    share of sure values that are right."""

    which: str
    by_site: bool
    macro: dict[str, float] = field(default_factory=dict)
    sure: dict[str, float] = field(default_factory=dict)

    def show(self, name: str, scores: Sequence[Scores], note: str = "") -> None:
        """`scores` are of groups whose macro F1 is averaged: of all pages, or of each site."""
        self.macro[name] = fmean(each.macro for each in scores)
        right, wrong, missing = (
            sum(getattr(each.all, part) for each in scores)
            for part in ("right", "wrong", "missing")
        )
        precision, recall = right / max(1, right + wrong), right / max(1, right + missing)
        print(
            f"\n{name}: macro F1 {self.macro[name]:.3f}, P {precision:.3f}, R {recall:.3f} {note}"
        )
        sure = sum(each.sure.right for each in scores), sum(each.sure.wrong for each in scores)
        if sum(sure):
            self.sure[name] = sure[0] / sum(sure)
            print(
                f"  sure values: {sum(sure):.0f}, {sum(sure) / (right + wrong):.2f} of those shown,"
                f" right {self.sure[name]:.3f}"
            )
        if len(scores) == 1:
            self._table("field", scores[0].fields)
            self._table("method", scores[0].methods)
        if self.by_site or len(scores) > 1:
            for each in scores:
                self._table("site", each.sites)

    def _table(self, kind: str, tallies: dict[str, Any]) -> None:
        for name, tally in sorted(tallies.items()):
            count = tally.right + max(tally.wrong, tally.missing)
            print(
                f"  {kind:<7}{name:<30}{count:>7.0f}  F1 {tally.f1:.3f}"
                f"  P {tally.precision:.3f}  R {tally.recall:.3f}"
            )


def read(page: Page, wanted: Plan, template: Template | None = None) -> PageRecords | None:
    try:
        return extract(page.markup, page.url, wanted, template)
    except PageUnreadable:
        return None


def add(scores: Scores, page: Page, records: Sequence[Record]) -> None:
    if not records:
        scores.add(page.site, page.truth, {}, {})
        return
    add_record(scores, page.site, page.truth, records[0])


def add_record(scores: Scores, site: str, truth: Mapping[str, Any], record: Record) -> None:
    methods = {each.pointer.split("/")[1]: each.method for each in record.provenance}
    sure = methods.keys() - {pointer.split("/")[1] for pointer in record.unsure}
    scores.add(site, truth, record.data, methods, sure)


def of_recipes(figures: Figures, quick: bool) -> None:
    """`quick`: of the sites that have an example."""
    wanted = plan(RECIPE)
    pages = [page for page in recipes() if figures.which in ("all", half(page.site))]
    pages = [page for page, _ in pairs(pages)] if quick else pages
    stripped = [
        Page(page.site, page.url, without_structure(page.markup), page.truth) for page in pages
    ]
    for name, its in (("recipes", pages), ("recipes, stripped", stripped)):
        scores = Scores()
        for page in its:
            result = read(page, wanted)
            add(scores, page, result.records if result else ())
        figures.show(name, [scores], f"({len(its)} pages)")
    _of_examples(figures, wanted, stripped)


def _of_examples(figures: Figures, wanted: Plan, pages: Sequence[Page]) -> None:
    without, taught, count = Scores(), Scores(), 0
    for page, example in pairs(pages):
        count += 1
        template = learn_example(example.markup, example.url, wanted, example.truth)
        for scores, known in ((without, None), (taught, template)):
            result = read(page, wanted, known)
            add(scores, page, result.records if result else ())
    if count:
        note = f"({count} pages, stripped; without the example {without.macro:.3f})"
        figures.show("recipes, one example", [taught], note)


def pairs(pages: Sequence[Page]) -> Iterator[tuple[Page, Page]]:
    """Each page with another one of its site."""
    for page in pages:
        others = [each for each in pages if each.site == page.site and each is not page]
        if others:
            yield page, others[0]


def of_swde(figures: Figures, quick: bool) -> None:
    sites = {site: its for site, its in swde().items() if figures.which in ("all", half(site))}
    alone, together, taught = [], [], []
    for site, pages in list(sites.items())[:: 4 if quick else 1]:
        wanted = plan(swde_schema(site))
        results = [read(page, wanted) for page in pages]
        template = learn(wanted, [each.readings for each in results if each])
        alone.append(_scored(pages, [each.records if each else () for each in results]))
        together.append(
            _scored(
                pages,
                [assemble(wanted, each.readings, template) if each else () for each in results],
            )
        )
        taught.append(_taught(pages, wanted))
    figures.show("SWDE, alone", alone)
    figures.show("SWDE, together", together, f"({len(together)} sites of 10 pages)")
    figures.show("SWDE, one example", taught)


def _taught(pages: Sequence[Page], wanted: Plan) -> Scores:
    """The pages but the fullest of the first three, which is the example."""
    example = max(pages[:3], key=lambda page: len(page.truth))
    truth = {name: values[0] for name, values in example.truth.items()}
    template = learn_example(example.markup, example.url, wanted, truth)
    others = [page for page in pages if page is not example]
    results = [read(page, wanted, template) for page in others]
    return _scored(others, [each.records if each else () for each in results])


def _scored(pages: Sequence[Page], records: Sequence[Sequence[Record]]) -> Scores:
    scores = Scores()
    for page, its in zip(pages, records, strict=True):
        add(scores, page, its)
    return scores


def of_listings(figures: Figures, quick: bool) -> None:
    layouts = {
        name: write for which, its in listings.HALVES.items() if figures.which in ("all", which)
        for name, write in its.items()
    }  # fmt: skip
    scores, recalls = Scores(), []
    for listing in listings.listings(layouts, each=1 if quick else 3):
        read_as = Page(listing.layout, listing.url, listing.markup, {})
        result = read(read_as, plan(listing.schema))
        records = result.records if result else ()
        recalls.append(_recall(scores, listing, records))
    figures.show("listings, fields", [scores], f"({len(recalls)} pages made up)")
    figures.macro["listings, record recall"] = fmean(recalls)
    print(f"\nlistings, record recall: {fmean(recalls):.3f}")


def _recall(scores: Scores, listing: listings.Listing, records: Sequence[Record]) -> float:
    """The share of true records of which one record has the name and half of the fields."""
    first = next(iter(listing.schema["properties"]))
    named = [record.data.get(first) for record in records]
    places = in_turn(named, [truth[first] for truth in listing.records])
    found = 0
    for truth, at in zip(listing.records, places, strict=True):
        record = None if at is None else records[at]
        data = record.data if record else {}
        if record:
            add_record(scores, listing.layout, truth, record)
        else:
            scores.add(listing.layout, truth, {}, {})
        right = sum(judged(name, data.get(name), value)[0] for name, value in truth.items())
        found += bool(data) and 2 * right >= len(truth)
    return found / len(listing.records)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=("fit", "judged", "all"), default="judged")
    parser.add_argument("--sites", action="store_true", help="figures of each site as well")
    parser.add_argument("--quick", action="store_true", help="a few pages")
    parser.add_argument("--floors", action="store_true", help="exit 1 below the floors")
    chosen = parser.parse_args()
    figures = Figures("all" if chosen.floors else chosen.half, chosen.sites)
    for archive, measure in ((RECIPES, of_recipes), (SWDE, of_swde)):
        if archive.exists():
            measure(figures, chosen.quick)
        else:
            print(f"skipped: {archive} is absent")
    of_listings(figures, chosen.quick)
    if not chosen.floors:
        return 0
    missed = [
        *_below(FLOORS, chosen.quick, figures.macro),
        *_below(SURE_FLOORS, chosen.quick, figures.sure, ", sure values"),
    ]
    print(*missed, sep="\n")
    return 1 if missed else 0


def _below(
    floors: Mapping[str, tuple[float, float]],
    quick: bool,
    reached: Mapping[str, float],
    of: str = "",
) -> list[str]:
    return [
        f"{name}{of}: {reached[name]:.3f} < {floor[quick]}"
        for name, floor in floors.items()
        if reached.get(name, 1.0) < floor[quick]
    ]


if __name__ == "__main__":
    sys.exit(main())
