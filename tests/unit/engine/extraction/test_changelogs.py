"""Headings that say a version and its day, with what changed below them."""

from typing import Any

from tests.unit.engine.extraction.reading import records

TEXT = {"type": "string"}
DAY = {"type": "string", "format": "date"}
CHANGES = {"type": "array", "items": TEXT}


def read(markup: str, **fields: Any) -> list[dict[str, Any]]:
    return records(f"<main><h1>Release notes</h1>{markup}</main>", "Release notes", **fields)


def test_the_version_and_the_day_of_a_heading_are_two_values() -> None:
    notes = (
        "<h2>v3.1.0 (2 May 2026)</h2><ul><li>Faster start<li>Export to CSV</ul>"
        "<h2>v3.0.2 (11 April 2026)</h2><ul><li>Fix a crash<li>Danish</ul>"
        "<h2>v3.0.1 (2 April 2026)</h2><ul><li>Fix totals<li>New colours</ul>"
    )
    found = read(notes, version=TEXT, date=DAY, changes=CHANGES)
    assert found == [
        {"version": "v3.1.0", "date": "2026-05-02", "changes": ["Faster start", "Export to CSV"]},
        {"version": "v3.0.2", "date": "2026-04-11", "changes": ["Fix a crash", "Danish"]},
        {"version": "v3.0.1", "date": "2026-04-02", "changes": ["Fix totals", "New colours"]},
    ]


def test_a_version_may_have_no_letter_and_the_day_may_come_first() -> None:
    notes = "".join(
        f"<section><h2>2026-0{n}-11: 1.{n}<a class=headerlink href=#n{n}>¶</a></h2>"
        f"<ul><li><p>Change {n}</p></li></ul></section>"
        for n in range(3, 7)
    )
    found = read(notes, version=TEXT, released=DAY)
    assert [each["version"] for each in found] == ["1.3", "1.4", "1.5", "1.6"]
    assert [each["released"] for each in found] == [f"2026-0{n}-11" for n in range(3, 7)]


def test_a_first_heading_without_anything_below_hides_no_others() -> None:
    notes = "<h2>[Unreleased]</h2>" + "".join(
        f"<h2>[2.{n}.0] - 2026-0{n}-04</h2><h3>Added</h3><ul><li>One<li>Two {n}</ul>"
        f"<h3>Fixed</h3><ul><li>Three {n}</ul>"
        for n in (4, 3, 2)
    )
    found = read(notes, version=TEXT, date=DAY, changes=CHANGES)
    assert [each["version"] for each in found if "date" in each] == ["2.4.0", "2.3.0", "2.2.0"]
    assert [each["changes"] for each in found if "date" in each] == [
        ["One", f"Two {n}", f"Three {n}"] for n in (4, 3, 2)
    ]


def test_the_numbers_of_sections_are_no_versions() -> None:
    parts = "".join(
        f"<h2><a href=#s{n}>1.{n}</a> <a href=#t>Chapter {n}</a></h2><p>Much is said of {n}.</p>"
        for n in range(1, 6)
    )
    found = read(parts, title=TEXT, author=TEXT, version=TEXT, license=TEXT)
    assert not any("version" in each for each in found)


def test_a_heading_keeps_its_day_where_no_day_is_asked_for() -> None:
    rows = "".join(f"<li><h3>Concert, {n} May 2026</h3><p>Town hall {n}</p>" for n in range(1, 5))
    found = read(f"<ul>{rows}</ul>", title=TEXT, url={"type": "string", "format": "uri"})
    assert all(each["title"].startswith("Concert, ") for each in found)


def test_a_day_within_a_heading_is_no_part_of_its_own() -> None:
    rows = "".join(
        f"<li><h3>Peace of {n} May 1659 in Roskilde {n}</h3><p class=date>0{n}.06.2026</p>"
        for n in range(1, 5)
    )
    found = read(f"<ul>{rows}</ul>", title=TEXT, date=DAY)
    assert [each["title"] for each in found] == [
        f"Peace of {n} May 1659 in Roskilde {n}" for n in range(1, 5)
    ]
