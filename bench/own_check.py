"""How well our own check of a record sees planted errors, and how often it doubts a good one.

Run `python -m bench.own_check`: the true records of SWDE's pages and of recipe pages, each value
with the place where it stands; then the same with one value exchanged, in four ways. Every record
is checked as the product does it: its quotes, and a second reading of what is kept of the page by
both families of methods. `--half fit` takes the sites that rules were made with, `--half judged`
the others.
"""

import argparse
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from app.engine.extraction.records.extract import PageRecords, extract
from app.engine.extraction.schema.schema import Plan, plan
from app.engine.extraction.text.location import QuoteFinder
from app.engine.extraction.values.typed import Context
from app.engine.judging import checks, kept_page, planted_errors, second_extraction
from app.engine.judging.checks import RecordChecks
from app.engine.judging.second_extraction import Reread
from app.engine.pages.page import PageUnreadable
from app.engine.sandbox.extract import markup_of
from bench.extract.data import RECIPE, RECIPES, SWDE, Page, half, recipes, swde, swde_schema
from bench.extract.sources.manuals import MANUALS
from bench.planted_ways import WAYS

GOOD = "good"
_OF_A_MANUAL = 60  # pages
Wanted = tuple[str, Page, dict[str, Any]]
"""A source, a page of it and the schema of its records."""


class Rates(NamedTuple):
    """Of our own check: the share of bad records it doubts, and of good ones."""

    seen: float
    doubted: float


MEASURED = Rates(seen=0.83, doubted=0.104)
"""What this program prints of all sites."""


@dataclass(frozen=True, slots=True)
class Case:
    """A page with its true record, and what reading it again found."""

    source: str
    plan: Plan
    url: str
    text: str
    visible_end: int
    record: planted_errors.Form
    read: Reread

    def checked(self, record: planted_errors.Form) -> RecordChecks:
        context = Context(self.url, None)
        quotes = checks.quotes(
            self.plan, record["data"], record["provenance"], self.text, context, every=True
        )
        second = second_extraction.reread(self.plan, record, self.text, self.read)
        contradicted = (*quotes.contradicted, *second.contradicted)
        return RecordChecks(quotes.verdict, second.verdict, fields=contradicted)

    def planted(self, way: planted_errors.Way, dice: random.Random) -> planted_errors.Form | None:
        """The record with one value exchanged in this way; None where none can be."""
        visible = self.text[: self.visible_end]
        for value in planted_errors.shuffled(self.plan, self.record["data"], dice):
            if planted := planted_errors.plant(way, value, self.record, visible, dice):
                return planted
        return None


def cases(pages: Iterator[Wanted]) -> Iterator[Case]:
    """The pages that have a record."""
    for source, page, schema in pages:
        try:
            case = _case(source, page, plan(schema))
        except PageUnreadable:
            continue
        if case.record["data"]:
            yield case


def sites(wanted: str, most: int | None) -> Iterator[Wanted]:
    """The pages of this half of the sites."""
    for site, pages in swde().items():
        if wanted in ("all", half(site)):
            schema = swde_schema(site)
            schema["required"] = [next(iter(schema["properties"]))]
            yield from (("SWDE", page, schema) for page in pages[:most])
    for page in recipes()[:most]:
        if wanted in ("all", half(page.site)):
            yield "recipes", page, RECIPE


def manuals(wanted: str, most: int) -> Iterator[Wanted]:
    """The pages of this half of the manuals."""
    for manual in MANUALS:
        if wanted in ("all", manual.half):
            yield from ((manual.name, page, manual.schema) for page in manual.read(most))


def _case(source: str, page: Page, wanted: Plan) -> Case:
    kept = extract(page.markup, page.url, wanted)
    record = _true_record(page, kept.text, variants=source == "SWDE")
    read = read_again(page.url, kept, wanted, ())
    return Case(source, wanted, page.url, kept.text, kept.visible_end, record, read)


def read_again(
    url: str, kept: PageRecords, wanted: Plan, provenance: Sequence[dict[str, Any]]
) -> Reread:
    """What is kept of a page is its text, and it is read again from that."""
    document = kept_page.document(
        {
            "url": url,
            "title": kept.title,
            "text": kept.text,
            "visible_end": kept.visible_end,
            "language": kept.language,
        }
    )
    again = {
        family: extract(markup_of(document), url, wanted, family=family).readings.entities
        for family in kept_page.families(provenance)
    }
    return Reread(again, kept.title, url)


def _true_record(page: Page, text: str, *, variants: bool) -> planted_errors.Form:
    """The true values that stand on the page, each with its place; of variants the first."""
    located, data, provenance = QuoteFinder(text), dict[str, Any](), list[dict[str, Any]]()
    for name, stated in page.truth.items():
        value = stated[0] if variants else stated
        items = value if isinstance(value, list) else [value]
        quotes = [quote for item in items if (quote := _quote(located, str(item)))]
        if len(quotes) < max(1, len(items)):
            continue
        data[name] = value
        for n, quote in enumerate(quotes):
            below = f"/{n}" if isinstance(value, list) else ""
            provenance.append({"pointer": f"/{name}{below}", **quote})
    return {"data": data, "provenance": provenance}


def _quote(located: QuoteFinder, value: str) -> dict[str, Any] | None:
    """Where somebody would quote a value: on a line of its own, if it has one."""
    at = f"\n{located.text}\n".find(f"\n{value}\n")
    place = located.place(value, near=(at, at + len(value)) if at >= 0 else None)
    if place is not None:
        return {"quote": located.text[place.start : place.end], "start": place.start}
    at = located.text.find(value)
    return {"quote": value, "start": at} if at >= 0 else None


Counts = Counter[tuple[str, str, bool]]
"""Records by source, way of planting (or `good`), and whether they were doubted."""


def counted(looked_at: Iterator[Case]) -> Counts:
    counts: Counts = Counter()
    for case in looked_at:
        dice = random.Random(case.url)
        counts[case.source, GOOD, case.checked(case.record).doubted] += 1
        for name, way in WAYS.items():
            bad = case.planted(way, dice)
            if bad is not None:
                counts[case.source, name, case.checked(bad).doubted] += 1
    return counts


def rates(counts: Counts) -> Rates:
    """Over both sources and all ways of planting, a record being a record."""
    return Rates(
        _share(counts, lambda _source, kind: kind != GOOD),
        _share(counts, lambda _source, kind: kind == GOOD),
    )


def _share(counts: Counts, of: Any) -> float:
    chosen = [(yes, n) for (source, kind, yes), n in counts.items() if of(source, kind)]
    return sum(n for yes, n in chosen if yes) / max(1, sum(n for _, n in chosen))


def report(counts: Counts) -> None:
    if not counts:
        print("skipped: no pages of these sites or manuals are here")
        return
    for source in sorted({source for source, _, _ in counts}):
        for name in (GOOD, *WAYS):
            many = counts[source, name, True] + counts[source, name, False]
            share = counts[source, name, True] / max(1, many)
            print(f"{source:<10} {name:<10}{many:>5} records, doubted {share:.1%}")
    print("bad seen {:.1%}, good doubted {:.1%}".format(*rates(counts)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only see that it works")
    parser.add_argument("--half", choices=("fit", "judged", "all"), default="all")
    parser.add_argument("--manuals", action="store_true", help="pages of installed manuals")
    options = parser.parse_args()
    if options.manuals:
        report(counted(cases(manuals(options.half, 1 if options.quick else _OF_A_MANUAL))))
        return
    if not (RECIPES.exists() and SWDE.exists()):
        print(f"skipped: {SWDE} or {RECIPES} is absent")
        return
    report(counted(cases(sites(options.half, 1 if options.quick else None))))


if __name__ == "__main__":
    main()
