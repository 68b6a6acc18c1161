"""Differences of texts as rows: what went and what came is marked, and nothing else."""

from app.web.citations import line_difference
from app.web.citations.line_difference import DifferenceRow


def marked(rows: list[DifferenceRow]) -> list[tuple[str, str, str]]:
    return [(row.kind, str(row.before), str(row.after)) for row in rows]


def test_in_a_line_that_became_another_the_words_that_differ_are_marked() -> None:
    [row] = line_difference.between("Price: 129.50 EUR today", "Price: 119.00 EUR today")
    assert row.kind == "became"
    assert str(row.before) == "Price: <del>129</del>.<del>50</del> EUR today"
    assert str(row.after) == "Price: <ins>119</ins>.<ins>00</ins> EUR today"


def test_lines_that_come_and_go_stand_alone() -> None:
    rows = line_difference.between("Sold out\nA lamp", "A lamp\nOn our shelves again")
    assert marked(rows) == [
        ("gone", "<del>Sold out</del>", ""),
        ("same", "A lamp", "A lamp"),
        ("come", "", "<ins>On our shelves again</ins>"),
    ]


def test_only_what_differs_is_shown_with_a_little_around_it() -> None:
    before = [f"line {n} of the page" for n in range(20)]
    after = [*before[:10], "something else entirely: 4711!", *before[11:]]
    rows = line_difference.between("\n".join(before), "\n".join(after))
    assert [(row.kind, row.lines) for row in rows if row.kind in ("cut", "gone", "come")] == [
        ("cut", 7),
        ("gone", 0),
        ("come", 0),
        ("cut", 6),
    ]
    everything = line_difference.between("\n".join(before), "\n".join(after), everything=True)
    assert len(everything) == 21


def test_a_written_difference_pairs_a_line_with_the_one_it_became() -> None:
    rows = line_difference.written("- Bread\n- Costs 2 euros\n+ Costs 3 euros\n+ Milk\n... 4 more")
    assert [row.kind for row in rows] == ["gone", "became", "come", "same"]


def test_a_page_cannot_write_markup_into_its_difference() -> None:
    [gone, come] = line_difference.between("<ins>a</ins>", "x<script>alert(1)</script>")
    assert str(gone.before) == "<del>&lt;ins&gt;a&lt;/ins&gt;</del>"
    assert "<script" not in come.after
