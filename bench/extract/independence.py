"""What a second extraction by the other family says of the first, where the truth is known.

Run `python -m bench.extract.independence`: recipe pages, each value of the first record judged by
the truth and by `app.engine.extraction.records.second_extraction`. "good doubted" is f, the share
of right values that the second contradicts, "bad seen" is s, the share of wrong ones; both of the
values that could be compared, and of all.
"""

import argparse
from collections import Counter

from app.engine.extraction.records.extract import extract
from app.engine.extraction.records.second_extraction import second
from app.engine.extraction.schema.schema import plan
from app.engine.pages.page import PageUnreadable
from bench.extract.data import RECIPE, RECIPES, recipes
from bench.extract.scoring import judged

RIGHT_FROM = 0.8  # of a list: so much of it


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only see that it works")
    most = 8 if parser.parse_args().quick else None
    if not RECIPES.exists():
        print(f"skipped: {RECIPES} is absent")
        return
    wanted = plan(RECIPE)
    values: Counter[tuple[bool, str]] = Counter()
    records: Counter[str] = Counter()
    for page in recipes()[:most]:
        try:
            found = extract(page.markup, page.url, wanted).records
            verdict = second(page.markup, page.url, wanted, found[0]) if found else None
        except PageUnreadable:
            continue
        if verdict is None:
            continue
        records[verdict.record] += 1
        for each in verdict.fields:
            name = each.pointer[1:]
            if name in page.truth:
                right = judged(name, each.first, page.truth[name])[0] >= RIGHT_FROM
                values[right, each.verdict] += 1
    report(values, records)


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
