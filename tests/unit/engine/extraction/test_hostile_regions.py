"""Pages made to cost: the work grows with the page, rows beyond the most are left out and said."""

from collections.abc import Callable
from functools import partial

import pytest

from app.engine.extraction.methods import labels, markup, shapes
from app.engine.extraction.methods.name_match import names_of
from app.engine.extraction.rows.regions import Region, regions
from app.engine.extraction.schema.schema import plan
from app.engine.extraction.text import attributes
from app.engine.extraction.text.grid import grid
from app.engine.extraction.text.onetext import one
from app.engine.pages.formats.html import parse
from tests.costs import times_as_much
from tests.plans import ADDRESS, NUMBER, TEXT, plan_of

PLAN = plan_of(called="Product", name=TEXT, price=NUMBER, url=ADDRESS, description=TEXT)


def rows(many: int) -> str:
    return "".join(f"<tr><td>Thing {n}<td>${n}.50<td>word" for n in range(many))


def items(many: int) -> str:
    return "".join(f"<li><a href=/p/{n}>Thing {n}</a>" for n in range(many))


def classes(many: int) -> str:
    names = [" ".join(f"{chr(97 + n * k % 26)}{chr(97 + k)}" for k in range(8)) for n in range(26)]
    return "".join(f"<p class='{names[n % 26]}'>$ {n}" for n in range(many))


def looks(many: int) -> str:
    """Siblings of so many looks that each look has few."""
    return "".join(f"<p class='{chr(0x4E00 + n // 3)}'>$ {n}" for n in range(many))


def lists(many: int) -> str:
    return "<ul><li>a<li>$2<li>c</ul>" * many


def terms(many: int) -> str:
    return "".join(f"<dt>Name<dd>b {n}<dt>Price<dd>$4" for n in range(many))


def wide(many: int) -> str:
    return f"<table>{('<tr>' + '<td>$4' * 300) * many}</table>"


def deep(many: int) -> str:
    return ("<div class=a>" * 200 + "$7" + "</div>" * 200) * many


def work(html: str) -> Callable[[], list[Region]]:
    root = parse(f"<body>{html}</body>")
    return partial(regions, one(root), root, PLAN)


@pytest.mark.parametrize(
    ("make", "many"),
    [
        (items, 1_200),
        (classes, 1_000),
        (looks, 1_500),
        (lists, 500),
        (terms, 800),
        (wide, 7),
        (deep, 8),
    ],
)
def test_four_times_the_page_costs_less_than_ten_times_the_time(
    make: Callable[[int], str], many: int
) -> None:
    assert times_as_much(work(make(4 * many)), work(make(many)), 10) < 10


def pictures(length: int) -> Callable[[], object]:
    root = parse(f"<body><img srcset='{'a' * length}'>")
    return lambda: list(attributes.stated(root))


def heads(many: int) -> Callable[[], object]:
    page = one(parse(f"<table><tr>{'<th>Price' * many}<tr>{'<td>4' * many}</table>"))
    return partial(labels.labelled, page, names_of(PLAN))


def prices(many: int) -> Callable[[], object]:
    page = one(parse(f"<p>{'$5 ' * many}{'word ' * 20 * many}"))
    return partial(shapes.shaped, page, PLAN)


def figures(many: int) -> Callable[[], object]:
    votes = plan({"type": "object", "properties": {"rating_count": {"type": "integer"}}})
    return partial(shapes.shaped, one(parse(f"<p>{'1.1,' * many}")), votes)


@pytest.mark.parametrize(
    ("read", "many"),
    [(pictures, 4_000), (heads, 300), (prices, 4_000), (figures, 500)],
    ids=["pictures in one long word", "a row of heads", "prices in a line", "figures in a word"],
)
def test_what_is_long_costs_its_length(
    read: Callable[[int], Callable[[], object]], many: int
) -> None:
    assert times_as_much(read(4 * many), read(many), 10, floor_seconds=0.001) < 10


def test_reading_things_that_say_nothing_within_each_other_ends() -> None:
    root = parse("<div itemprop=offers itemscope>" * 100)
    assert 1 < len(markup.things(one(root), root)) < 50


def test_cells_that_reach_into_all_rows_are_not_told_of_each() -> None:
    (table,) = parse(f"<table>{'<tr><td rowspan=65534>$4<td rowspan=65534>a' * 2_000}</table>")[0]
    known = grid(table)
    assert sum(len(known.cells(row)) for row in known.rows) < 10 * len(known.columns)


def test_a_table_is_read_up_to_the_most_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("groups", "regions"):
        monkeypatch.setattr(f"app.engine.extraction.rows.{module}.MOST_ROWS", 500)
    heads = "<tr><th>Name<th>Price<th>Description</tr>"
    listed = work(f"<table>{heads}{rows(510)}</table>")()
    assert listed[0].truncated
    assert 499 <= len(listed[0].things) <= 500


def test_all_rows_of_a_page_that_repeats_less_are_read() -> None:
    listed = work(f"<ul>{items(2_000)}</ul>")()
    assert len(listed[0].things) == 2_000
    assert not listed[0].truncated


HOSTILE = [
    "<ul>" + "<li><b>\u202ename \u0301\u0300</b> $\u06f4\u06f5" * 50 + "</ul>",
    "<table>" + "<tr><td colspan=99999999>a<td>$4" * 50 + "</table>",
    "<table><tr>" + "<th colspan=100>Price" * 50 + "<tr><td>$4" * 50 + "</table>",
    "<dl>" + "<dt>Price:<dd>" * 50 + "</dl>",
    "<ul>" + "<li class='" + "9 " * 500 + "'>Price: $4</li>" * 50 + "</ul>",
    "<div>" + "<div class=a>Price: :" * 240,
    "<ul>" + "<li>e<b>\u0301</b>\u200b: <i>\u00ad</i>$1" * 50 + "</ul>",
]


@pytest.mark.parametrize("html", HOSTILE)
def test_each_candidate_is_a_slice_within_its_row(html: str) -> None:
    root = parse(f"<body>{html}</body>")
    page = one(root)
    for region in regions(page, root, PLAN):
        for (start, end), thing in zip(region.slices, region.things, strict=True):
            for leaf in (leaf for each in thing.candidates for leaf in each.leaves):
                assert leaf.start < leaf.end <= len(page.text)
                assert leaf.start >= page.visible_end or start <= leaf.start <= leaf.end <= end
                assert page.text[leaf.start : leaf.end].strip() == page.text[leaf.start : leaf.end]
