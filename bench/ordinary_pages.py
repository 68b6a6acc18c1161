"""What our own checks alone decide of the records that the built-in extraction reads on ordinary
pages: a campaign without nodes.

Run `python -m bench.ordinary_pages`: articles, documentation, products, forums, lists and the front
pages of services (WCXB), recipes, and SWDE's pages of cars, books, jobs and others. Each page is
read as a campaign reads it, for the default schema and for a small one whose fields are all
required, and its records are checked as the product does it, without an index. A record is good
if nothing that is known of its page speaks against a value of it. `--half fit` takes the sites that
rules may be made with, `--half judged` the others.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from app.domains.campaigns.campaigns.records import citations
from app.domains.campaigns.campaigns.schemas import DEFAULT_SCHEMA
from app.engine.extraction.records.extract import PageRecords, extract
from app.engine.extraction.schema.schema import Plan, plan
from app.engine.extraction.values.compare import value_at
from app.engine.judging.checks import RecordChecks
from app.engine.judging.quorum import State
from app.engine.judging.singles import alike, compared
from app.engine.pages.page import PageUnreadable
from bench.extract.data import SWDE, WCXB, Page, half, recipes, swde, swde_schema, wcxb
from bench.own_check import Case, read_again

STATES: tuple[State, ...] = ("accepted", "unresolved", "rejected")
_TEXT = {"type": "string"}
_ARTICLE = {"title": _TEXT, "author": _TEXT, "published_at": {"type": "string", "format": "date"}}
_RECIPE = {"title": _TEXT, "author": _TEXT, "total_time": {"type": "integer"}}
_EVERY = 3  # of the recipes
_OF_A_SITE = 2  # of SWDE's pages
_OF_A_PAGE = 3  # records


class Ordinary(NamedTuple):
    """A page, what kind it is of, and the fields of its small schema."""

    kind: str
    page: Page
    fields: dict[str, Any]


class Judged(NamedTuple):
    """A record of an ordinary page. `good` is None where nothing is known of its values."""

    kind: str
    schema: str
    url: str
    record: dict[str, Any]
    good: bool | None
    checked: RecordChecks


def ordinary() -> Iterator[Ordinary]:
    yield from (Ordinary(kind, page, _ARTICLE) for kind, page in wcxb())
    yield from (Ordinary("recipe", page, _RECIPE) for page in recipes()[::_EVERY])
    for site, pages in swde().items():
        fields = dict(list(swde_schema(site)["properties"].items())[:3])
        for page in pages[:_OF_A_SITE]:
            yield Ordinary(site.split("-")[0], page, fields)


def judged(each: Ordinary) -> Iterator[Judged]:
    small = {"type": "object", "properties": each.fields, "required": list(each.fields)}
    for name, schema in (("default", DEFAULT_SCHEMA), ("small", small)):
        wanted = plan(schema)
        try:
            kept = extract(each.page.markup, each.page.url, wanted)
        except PageUnreadable:
            return
        for record in _records(wanted, kept):
            case = Case(
                each.kind,
                wanted,
                each.page.url,
                kept.text,
                kept.visible_end,
                record,
                read_again(each.page.url, kept, wanted, record["provenance"]),
            )
            good = _is_good(wanted, each.page, record["data"])
            yield Judged(each.kind, name, each.page.url, record, good, case.checked(record))


def _records(wanted: Plan, kept: PageRecords) -> Iterator[dict[str, Any]]:
    for record in kept.records[:_OF_A_PAGE]:
        candidate = citations.candidate(wanted, record, require_citations=True)
        if candidate is not None:
            yield {"data": candidate.data, "provenance": citations.judged(candidate.provenance)}


def _is_good(wanted: Plan, page: Page, data: dict[str, Any]) -> bool | None:
    """Several records of a page are rows of it, of which nothing is known."""
    known = [each for each in compared(wanted, data) if each.name in page.truth]
    return all(_is_true(each, page, data) for each in known) if known else None


def _is_true(field: Any, page: Page, data: dict[str, Any]) -> bool:
    truth = page.truth[field.name]
    variants = truth if isinstance(truth, list) else [truth]
    return any(alike(field, value_at(data, field.pointer), each) for each in variants)


def report(records: list[Judged], *, each: bool) -> None:
    for record in records if each else ():
        methods = {x["pointer"]: x.get("method") for x in record.record["provenance"]}
        print(record.checked.state, *record[:3], record.good, record.record["data"], methods)
        print("   ", record.checked.as_json())
    counts = Counter((x.kind, x.schema, x.good, x.checked.state) for x in records)
    _line("kind", "schema", "known to be", *STATES)
    for kind, schema, good in sorted({key[:3] for key in counts}, key=str):
        known = {True: "good", False: "bad", None: "-"}[good]
        _line(kind, schema, known, *(counts[kind, schema, good, state] for state in STATES))
    for good in (True, False, None):
        known = {True: "good", False: "bad", None: "-"}[good]
        totals = Counter(x.checked.state for x in records if x.good is good)
        _line("all", "", known, *(totals[state] for state in STATES))


def _line(*cells: object) -> None:
    print("".join(f"{cell!s:<15}" for cell in cells))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=("fit", "judged", "all"), default="all")
    parser.add_argument("--each", action="store_true", help="print every record as well")
    options = parser.parse_args()
    if not (WCXB.exists() and SWDE.exists()):
        print(f"skipped: {WCXB} or {SWDE} is absent")
        return
    wanted = (x for x in ordinary() if options.half in ("all", half(x.page.site)))
    report([record for each in wanted for record in judged(each)], each=options.each)


if __name__ == "__main__":
    main()
