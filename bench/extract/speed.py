"""Pages per CPU second of the whole extraction, as a ratio to trafilatura alone on the same pages.

Run `python -m bench.extract.speed`. Page by page in turns; the aim is 0.5 of trafilatura's speed.
Recipe pages as they are, and without structured data, where everything is read from what is shown.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

import trafilatura

from app.engine.extraction.records.extract import extract
from app.engine.extraction.schema.schema import plan
from app.engine.pages.page import PageUnreadable
from bench import figures
from bench.extract.data import RECIPE, RECIPES, Page, recipes, without_structure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only see that it works")
    most = 8 if parser.parse_args().quick else None
    if not RECIPES.exists():
        print(f"skipped: {RECIPES} is absent")
        return
    pages = recipes()[:most]
    stripped = [
        Page(page.site, page.url, without_structure(page.markup), page.truth) for page in pages
    ]
    aims = [compare(name, its) for name, its in (("as they are", pages), ("stripped", stripped))]
    figures.conclude("extract-speed", aims)


def compare(form: str, pages: Sequence[Page]) -> figures.Aim:
    wanted = plan(RECIPE)

    def ours(page: Page) -> None:
        with suppress(PageUnreadable):
            extract(page.markup, page.url, wanted)

    def theirs(page: Page) -> None:
        trafilatura.extract(page.markup, url=page.url, fast=True)

    for each in (ours, theirs):
        each(pages[0])  # what is loaded once
    mine = others = 0.0
    for page in pages:
        mine += seconds(ours, page)
        others += seconds(theirs, page)
    ours_per_second, theirs_per_second = len(pages) / mine, len(pages) / others
    return figures.compared(
        f"pages per CPU second, {form}",
        [ours_per_second],
        "trafilatura",
        [theirs_per_second],
        "pages/s",
        ">=",
        0.5,
    )


def seconds(work: Callable[[Page], None], page: Page) -> float:
    began = time.process_time()
    work(page)
    return time.process_time() - began


if __name__ == "__main__":
    main()
