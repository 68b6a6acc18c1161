"""Charts: what is drawn, what is spoken, what the table holds."""

import itertools
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from app.web.charts.charts import Chart, Number, Series, bar_chart, line_chart

NOW = datetime(2026, 11, 22, 15, 4, tzinfo=UTC)


def series(name: str, *values: Number | None, dash: bool = False) -> Series:
    minutes = (NOW + timedelta(minutes=number) for number in range(len(values)))
    return Series(name, list(zip(minutes, values, strict=True)), dash)


def chart(*lines: Series, zone: str = "UTC", **options: object) -> Chart:
    return line_chart("Depth", lines, summary="It grows.", zone=zone, now=NOW, **options)  # type: ignore[arg-type]


def drawn(found: Chart) -> ElementTree.Element:
    """Well-formed, or this fails."""
    return ElementTree.fromstring(found.svg)  # noqa: S314 (our own)


def texts(found: Chart, kind: str = "") -> list[str]:
    return [x.text or "" for x in drawn(found).iter("text") if x.get("class", "").startswith(kind)]


def paths(found: Chart) -> list[str]:
    return [path.get("d", "") for path in drawn(found).iter("path")]


def heights(found: Chart) -> list[float]:
    ends = [x for x in drawn(found).iter("text") if x.get("class", "").startswith("end")]
    return sorted(float(x.get("y", "")) for x in ends)


def test_it_is_an_image_that_says_its_title_and_summary() -> None:
    svg = drawn(chart(series("search", 1, 2)))
    assert svg.get("role") == "img"
    assert svg.get("aria-label") == "Depth. It grows."


def test_nothing_in_it_needs_more_than_a_strict_policy_allows() -> None:
    svg = str(chart(series("search", 1, None, 2), levels=[("Cap", 9)]).svg)
    assert "style" not in svg
    assert "<script" not in svg
    assert not re.search(r"\son[a-z]+=", svg)


def test_text_of_others_is_escaped() -> None:
    found = line_chart("<b>", [series("</svg><script>", 1)], summary='"><i>', unit="<u>")
    assert not {"script", "b", "i", "u"} & {element.tag for element in drawn(found).iter()}


def test_a_line_ends_with_its_name_and_last_value() -> None:
    assert texts(chart(series("search", 3, 55), series("extract", 212, None)), "end") == [
        "extract 212",
        "search 55",
    ]


def test_lines_differ_by_colour_and_by_dash() -> None:
    found = drawn(chart(*(series(f"queue {number}", number) for number in range(6))))
    looks = [(path.get("class"), path.get("stroke-dasharray")) for path in found.iter("path")]
    assert len(set(looks)) == 6
    assert looks[0] == ("line c1", "none")


def test_a_forecast_is_dashed_wherever_it_stands() -> None:
    [path] = drawn(chart(series("forecast", 1, 2, dash=True))).iter("path")
    assert path.get("stroke-dasharray") != "none"


def test_a_missing_value_is_a_gap_and_no_zero() -> None:
    [path] = paths(chart(series("search", 1, 2, None, 3, 4)))
    assert path.count("M") == 2
    assert path.count("L") == 2


def test_a_point_between_gaps_is_seen() -> None:
    found = drawn(chart(series("search", 1, 2, None, 3, None, 4, 5)))
    dots = [x for x in found.iter("circle") if x.get("class", "").startswith("dot")]
    assert len(dots) == 2  # it, and the end of the line


def test_one_point_is_drawn() -> None:
    found = chart(series("search", 7))
    assert texts(found, "end") == ["search 7"]
    assert len(list(drawn(found).iter("circle"))) == 1


def test_only_missing_values_are_said_to_be_missing() -> None:
    found = chart(series("search", None, None))
    assert "No measurements in this period" in texts(found)
    assert [row[1] for row in found.rows] == ["–", "–"]


def test_a_chart_without_a_line_is_drawn() -> None:
    assert "No measurements in this period" in texts(chart())


def test_no_label_is_negative_zero() -> None:
    found = chart(series("search", -0.0, Decimal("-0")))
    assert "-0" not in " ".join(texts(found))
    assert found.rows[0][1] == "0"


def test_labels_at_the_end_never_overlap() -> None:
    found = heights(chart(*(series(f"queue {number}", 5, 5) for number in range(6))))
    assert all(after - before >= 15 for before, after in itertools.pairwise(found))


def test_labels_at_the_end_stay_inside_of_the_plot() -> None:
    found = heights(chart(*(series(f"queue {number}", 0, 0) for number in range(6))))
    assert found[0] >= 0
    assert found[-1] <= 204


def test_a_long_name_is_cut_at_the_line_and_whole_in_the_table() -> None:
    found = chart(series("a queue with a very long name", 1))
    assert texts(found, "end") == ["a queue with … 1"]
    assert found.columns[1] == "a queue with a very long name"


def test_steps_have_no_slopes() -> None:
    [path] = paths(chart(series("spent", 1, 5, 9), steps=True))
    assert "L" not in path
    assert path.count("V") == 2


def test_a_level_has_its_name_and_is_inside_of_the_plot() -> None:
    found = chart(series("spent", 1, 5), levels=[("Cap", Decimal(600))])
    assert "Cap 600" in texts(found)
    assert "600" in texts(found)  # the top tick


def test_large_numbers_are_exact_in_the_table_and_short_in_the_drawing() -> None:
    found = chart(series("tokens", Decimal("9007199254740993.5")))
    assert found.rows[0][1] == "9007199254740993.5"
    assert texts(found, "end") == ["tokens 9.01e+15"]


@pytest.mark.parametrize(
    ("zone", "text"),
    [
        ("UTC", "2026-11-22 15:04:00 UTC"),
        ("relative", "2026-11-22 15:04:00 UTC"),
        ("Europe/Berlin", "2026-11-22 16:04:00 CET"),
    ],
)
def test_table_and_tooltip_have_the_readers_times(zone: str, text: str) -> None:
    found = chart(series("search", 1), zone=zone)
    [title] = drawn(found).iter("title")
    assert title.text == f"search: 1, {text}"
    assert found.rows == [(text, "1")]


def test_the_file_is_in_utc_whatever_the_reader_reads() -> None:
    found = chart(series("search", 1, None), zone="Europe/Berlin")
    assert unquote(found.csv).splitlines() == [
        "data:text/csv;charset=utf-8,time,search",
        "2026-11-22T15:04:00Z,1",
        "2026-11-22T15:05:00Z,",
    ]


def test_a_name_in_the_file_is_no_formula() -> None:
    assert "'=cmd" in unquote(chart(series("=cmd", 1)).csv)


def test_lines_with_other_times_share_a_table() -> None:
    one, two = Series("one", [(NOW, 1)]), Series("two", [(NOW + timedelta(minutes=1), 2)])
    assert [row[1:] for row in chart(one, two).rows] == [("1", "–"), ("–", "2")]


def test_many_points_have_no_tooltip_each() -> None:
    found = drawn(chart(series("search", *range(500))))
    assert len(list(found.iter("circle"))) == 1


def test_bars_are_as_long_as_their_values() -> None:
    found = bar_chart("Failures", ["a", "b", "c"], [14, 7, None], summary="Most are a.")
    assert [x.get("width") for x in drawn(found).iter("rect")] == ["100%", "50%", "0%"]
    assert texts(found, "end") == ["14", "7", "–"]
    assert found.rows == [("a", "14"), ("b", "7"), ("c", "–")]


def test_bars_of_nothing_are_drawn() -> None:
    assert texts(bar_chart("Failures", ["a"], [0], summary=""), "end") == ["0"]
    assert bar_chart("Failures", [], [], summary="").rows == []


def test_a_mark_is_a_line_down_with_its_name_beside_it() -> None:
    found = chart(series("left", 8, 6, 10), marks=[(NOW + timedelta(minutes=1), "+4 USD")])
    assert "+4 USD" in texts(found, "named")
    lines = [x for x in drawn(found).iter("line") if x.get("class") == "level"]
    assert [(line.get("x1"), line.get("x2")) for line in lines] == [("50%", "50%")]
