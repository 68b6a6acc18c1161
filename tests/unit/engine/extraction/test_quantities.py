"""Numbers, units and durations."""

import pytest

from tests.unit.engine.extraction.reading import field, read, value

NUMBER = field(type="number")
WHOLE = field(type="integer")
MINUTES = field("total_time", type="integer", description="in minutes")
KILOGRAMS = field("weight_kg", type="number")


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("1.5", "de", 1.5),
        ("1.234", "de", 1234),
        ("1.234", "en", 1.234),
        ("1.234", None, "?"),
        ("12,34,567", "en", 1234567),
        ("1 234,5", "fr", 1234.5),
        ("four", "en", 4),
        ("4.5 out of 5", "en", 4.5),
        ("4,5 von 5", "de", 4.5),
        ("336 pages", "en", 336),
        ("4-6", "en", "?"),
        ("978-3-16", "en", "?"),
        ("Preheat the oven to 425 degrees.", "en", None),
        ("NaN", "en", None),
        ("1.5e-3", "en", None),
        ("0x10", "en", None),
        ("9/10", "en", 9),
        ("(350)", "en", "?"),
        ("2.5 lakh", "en", 250000),
        ("1/2", "en", "?"),
        ("1.2M", "en", "?"),
        ("9" * 30, "en", None),
    ],
)
def test_a_number_is_read(text: str, language: str | None, expected: object) -> None:
    assert value(text, NUMBER, language) == expected


@pytest.mark.parametrize(("text", "expected"), [("1,234", 1234), ("4.0", 4), ("4.5", None)])
def test_an_integer_is_whole(text: str, expected: int | None) -> None:
    assert value(text, WHOLE) == expected


def test_what_is_counted_may_stand_in_brackets() -> None:
    assert value("(350)", field("rating_count", type="integer")) == 350
    assert value("(350)", field(type="integer", minimum=0)) == 350


def test_bounds_decide_between_several_numbers() -> None:
    assert value("4.5 (123 reviews)", field(type="number", maximum=5)) == 4.5


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PT40M", 40),
        ("PT1H30M", 90),
        ("P0DT0H30M", 30),
        ("P1D", 1440),
        ("PT1.5H", 90),
        ("1 h 20 min", 80),
        ("1h20", 80),
        ("1½ hours", 90),
        ("1:30:00", 90),
        ("1 Std. 20 Min.", 80),
        ("1 heure et 20 minutes", 80),
        ("1時間30分", 90),
        ("about 45 minutes", 45),
        ("45", 45),
        ("90 seconds", "?"),
        ("PT0M", "?"),
        ("1:30", "?"),
        ("2-3 hours", "?"),
        ("Prep: 20 min, Cook: 40 min", "?"),
        ("P", None),
        ("P1Y2M", None),
        ("PT-5M", None),
        ("PT99999999999999H", None),
        ("20 boxes", None),
    ],
)
def test_a_duration_is_in_the_unit_of_its_field(text: str, expected: object) -> None:
    assert value(text, MINUTES) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("25 min", 25), ("12 years", 12), ("2 days", "?"), ("1 h", "?")]
)
def test_the_least_may_be_minutes(text: str, expected: object) -> None:
    assert value(text, field("walk_min", type="number")) == expected


@pytest.mark.parametrize(
    ("name", "description"),
    [("prep_time", "Minutes of preparation"), ("duration", "how many minutes"), ("cook_time", "")],
)
def test_a_time_is_in_the_unit_that_is_mentioned_else_in_minutes(
    name: str, description: str
) -> None:
    of = field(name, type="integer", description=description)
    assert [value(text, of) for text in ("PT2H", "for 425 degrees")] == [120, None]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PT40M", "PT40M"),
        ("1 h 20 min", "PT1H20M"),
        ("P1Y2M", "P1Y2M"),
        ("0.0005 ms", "PT0.0000005S"),
    ],
)
def test_a_text_in_the_format_of_durations_is_iso_8601(text: str, expected: str) -> None:
    assert value(text, field(type="string", format="duration")) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("500 g", 0.5),
        ("1,5 kg", 1.5),
        ("2 lb", 0.90718474),
        ("12", 12),
        ("3 boxes", None),
        ("20 cm", None),
        ("5 lb 3 oz", "?"),
        ("3 to 5 kg", "?"),
    ],
)
def test_a_measure_is_converted_to_the_unit_of_its_field(text: str, expected: object) -> None:
    assert value(text, KILOGRAMS) == expected


def test_a_point_that_may_part_thousands_leaves_a_measure_open_where_no_language_is_known() -> None:
    assert [value("1.234 kg", KILOGRAMS, language) for language in ("en", "de", None)] == [
        1.234,
        1234,
        "?",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("xii, 320 p. ; 23 cm", "?"),
        ("320 pages", 320),
    ],
)
def test_the_size_of_a_book_is_not_the_number_of_its_pages(text: str, expected: object) -> None:
    assert value(text, field("pages", type="integer")) == expected


def test_temperatures_are_converted_with_their_zero() -> None:
    assert value("212 °F", field("heat_celsius", type="number")) == 100


def test_the_transform_says_what_was_done() -> None:
    cases = [("500 g", KILOGRAMS), ("12", KILOGRAMS), ("PT40M", MINUTES), ("45", MINUTES)]
    found = [read(text, of) for text, of in cases]
    assert [x and x.transform for x in found] == ["unit", "number", "duration", "integer"]


@pytest.mark.parametrize("text", ["104 sq m", "104 sq. m", "104 square metres", "1,119 sq ft"])
def test_a_square_is_a_unit_of_two_words(text: str) -> None:
    area = field("area", type="number", description="in m2")
    assert value(text, area) == pytest.approx(104, abs=0.1)
