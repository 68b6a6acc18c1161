"""What a second extraction by the other family says of the first, where the truth is known.

Run `python -m bench.extract.independence`: recipe pages, each value of the first record judged by
the truth and by `app.engine.extraction.records.second_extraction`. "good doubted" is f, the share
of right values that the second contradicts, "bad seen" is s, the share of wrong ones; both of the
values that could be compared, and of all. For several choices of required fields it then says the
rate of records that pass beside the true share of records whose required fields are right: a text
is right too where it contains the true one, or is most of it.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from app.engine.extraction.records.extract import extract
from app.engine.extraction.records.second_extraction import (
    FieldComparison,
    Verdict,
    of_record,
    second,
)
from app.engine.extraction.schema.schema import plan
from app.engine.pages.page import PageUnreadable
from bench.extract.data import RECIPE, RECIPES, Page, recipes
from bench.extract.scoring import folded, judged

RIGHT_FROM = 0.8  # of a list: so much of it
REQUIRED = (
    ("title",),
    ("title", "author"),
    ("title", "total_time"),
    ("title", "ingredients"),
    ("title", "description"),
    ("title", "ingredients", "instructions"),
    ("title", "author", "yields", "total_time"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only see that it works")
    most = 8 if parser.parse_args().quick else None
    if not RECIPES.exists():
        print(f"skipped: {RECIPES} is absent")
        return
    values: Counter[tuple[bool, str]] = Counter()
    records: Counter[str] = Counter()
    rates = {required: Counter[str]() for required in REQUIRED}
    for truth, verdict in read_twice(recipes()[:most]):
        records[verdict.record] += 1
        for each in verdict.fields:
            name = each.pointer[1:]
            if name in truth:
                right = judged(name, each.first, truth[name])[0] >= RIGHT_FROM
                values[right, each.verdict] += 1
        for required, counts in rates.items():
            count(counts, required, truth, verdict)
    report(values, records)
    for required, counts in rates.items():
        passed = counts["passed"] / max(1, counts["passed"] + counts["failed"])
        true = counts["right"] / max(1, counts["right"] + counts["wrong"])
        print(f"  required: {', '.join(required):<36} pass {passed:.3f}  right {true:.3f}")


def read_twice(pages: Sequence[Page]) -> Iterator[tuple[dict[str, Any], Verdict]]:
    """The truth of each page with a record, and the verdict of a second extraction on it."""
    wanted = plan(RECIPE)
    for page in pages:
        with suppress(PageUnreadable):
            if found := extract(page.markup, page.url, wanted).records:
                yield page.truth, second(page.markup, page.url, wanted, found[0])


def count(
    counts: Counter[str], required: tuple[str, ...], truth: dict[str, Any], verdict: Verdict
) -> None:
    """Count a record by its verdict, were these fields required, and by the truth of them."""
    fields = [each for each in verdict.fields if each.pointer[1:] in required]
    if judge := of_record(plan({**RECIPE, "required": list(required)}), fields):
        counts[judge] += 1
    known = [each for each in fields if each.pointer[1:] in truth]
    if known:
        are_right = all(_is_right(each, truth[each.pointer[1:]]) for each in known)
        counts["right" if are_right else "wrong"] += 1


def _is_right(value: FieldComparison, true: Any) -> bool:
    if judged(value.pointer[1:], value.first, true)[0] >= RIGHT_FROM:
        return True
    texts = [value.first, *(true if isinstance(true, list) else [true])]
    if not all(isinstance(text, str) for text in texts):
        return False
    ours, *theirs = map(folded, texts)
    return any(min(len(ours), len(each)) >= 4 and (ours in each or each in ours) for each in theirs)


def report(values: Counter[tuple[bool, str]], records: Counter[str]) -> None:
    total = values.total()
    wrong = sum(count for (right, _), count in values.items() if not right)
    print(f"{total} values judged, {wrong / max(1, total):.1%} of them wrong")
    print(f"records: {dict(records)}")
    for verdict in ("agreed", "differs", "not_comparable"):
        good, bad = values[True, verdict], values[False, verdict]
        share = bad / max(1, good + bad)
        print(f"  {verdict:<16}{good + bad:>5} values, wrong among them {share:.1%}")
    compared = {
        right: values[right, "agreed"] + values[right, "differs"] for right in (True, False)
    }
    of_all = {right: compared[right] + values[right, "not_comparable"] for right in (True, False)}
    for name, base in (("of those compared", compared), ("of all", of_all)):
        doubted = values[True, "differs"] / max(1, base[True])
        seen = values[False, "differs"] / max(1, base[False])
        print(f"  {name:<20} good doubted {doubted:.1%}, bad seen {seen:.1%}")
    print(f"  compared: {sum(compared.values()) / max(1, total):.0%} of values")


if __name__ == "__main__":
    main()
