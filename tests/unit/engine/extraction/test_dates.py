"""Dates as pages state them."""

import pytest

from tests.unit.engine.extraction.reading import field, read, value

DATE = field(type="string", format="date")
TIME = field(type="string", format="date-time")


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("2021-04-05", "en", "2021-04-05"),
        ("2021-04-05T23:30:00-05:00", "en", "2021-04-05"),
        ("2021/4/5", "en", "2021-04-05"),
        ("April 5, 2021", "en", "2021-04-05"),
        ("3rd of May 2020", "en", "2020-05-03"),
        ("Published on April 5, 2021 by X", "en", "2021-04-05"),
        ("4. März 2021", "de", "2021-03-04"),
        ("Montag, 5. April 2021 um 10:30 Uhr", "de", "2021-04-05"),
        ("5 avril 2021 à 10h30", "fr", "2021-04-05"),
        ("5 de abril de 2021", None, "2021-04-05"),
        ("2021년 4월 5일", "ko", "2021-04-05"),
        ("13/04/2021", "en", "2021-04-13"),
        ("04/13/2021", "en", "2021-04-13"),
        ("04/04/2021", "en", "2021-04-04"),
        ("05/04/2021", "de", "2021-04-05"),
        ("05/04/2021", "en-GB", "2021-04-05"),
        ("05.04.2021", "cs", "2021-04-05"),
    ],
)
def test_a_stated_date_is_read(text: str, language: str | None, expected: str) -> None:
    assert value(text, DATE, language) == expected


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("1 May – 3 June 2024", "en"),
        ("1st to 3rd June 2024", "en"),
        ("May 1 – June 3, 2024", "en"),
        ("01.05. – 03.06.2024", "de"),
        ("du 1er au 3 mai 2024", "fr"),
        ("05/04/2021", "en"),
        ("05/04/2021", None),
        ("13/04/2021 to 14/04/2021", "en"),
    ],
)
def test_a_range_or_what_several_dates_fit_is_ambiguous(text: str, language: str | None) -> None:
    assert value(text, DATE, language) == "?"


NO_DATES = (
    "3 days ago|yesterday|to|on:|May|may contain nuts|12.30|1.5|12.30 2021|30 février 2021|"
    "30. Februar 2021|2021-02-30|9999-99-99|0000|10:30|May 5|05-Apr-21|5/4/21|2010 items||"
    "version 2.10.2021.3"
)


@pytest.mark.parametrize("text", NO_DATES.split("|"))
@pytest.mark.parametrize("language", ["en", "de", None])
def test_what_is_no_date_or_only_part_of_one_is_none(text: str, language: str | None) -> None:
    assert read(text, DATE, language) is None


@pytest.mark.parametrize(
    ("text", "precision", "first"),
    [
        ("June 2010", "month", "2010-06-01"),
        ("2010-06", "month", "2010-06-01"),
        ("2010", "year", "2010-01-01"),
        ("5 June 2010", "day", "2010-06-05"),
    ],
)
def test_a_date_has_the_precision_in_which_it_is_stated(
    text: str, precision: str, first: str
) -> None:
    found = read(text, DATE)
    assert found is not None
    assert (found.value, found.precision) == (first, precision)


@pytest.mark.parametrize("zone", ["IST", "PT", "AKST"])
def test_a_time_in_an_unknown_zone_is_no_time_of_utc(zone: str) -> None:
    assert value(f"5 March 2024, 14:30 {zone}", TIME) == "?"


def test_the_day_of_a_time_in_an_unknown_zone_is_sure() -> None:
    assert value("5 March 2024, 14:30 IST", DATE) == "2024-03-05"


@pytest.mark.parametrize(
    ("text", "expected", "precision"),
    [
        ("2021-04-05T23:30:00-05:00", "2021-04-05T23:30:00-05:00", "second"),
        ("2021-04-05 10:00", "2021-04-05T10:00:00Z", "second"),
        ("April 5, 2021 10:00 PM", "2021-04-05T22:00:00Z", "second"),
        ("April 5, 2021 10:00 PST", "2021-04-05T10:00:00-08:00", "second"),
        ("5 April 2021", "2021-04-05T00:00:00Z", "day"),
        ("30 May 2023, 4:11 p.m.", "2023-05-30T16:11:00Z", "second"),
        ("2021/04/05 at 9:30:15", "2021-04-05T09:30:15Z", "second"),
        ("2021-04-05T09:30 CEST", "2021-04-05T09:30:00+02:00", "second"),
        ("21/12/2018 11:52 pm", "2018-12-21T23:52:00Z", "second"),
    ],
)
def test_a_moment_is_in_the_form_of_rfc_3339(text: str, expected: str, precision: str) -> None:
    found = read(text, TIME)
    assert found is not None
    assert (found.value, found.precision) == (expected, precision)


@pytest.mark.parametrize("text", ["2021", "March 5, 2021", "(2021)"])
def test_a_year_is_read_from_a_date(text: str) -> None:
    assert value(text, field("year", type="integer")) == 2021


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tue Mar 05 2024 10:00:00 GMT+0530 (India)", "2024-03-05T10:00:00+05:30"),
        ("5 March 2024, 12:00 UTC-5", "2024-03-05T12:00:00-05:00"),
        ("5 March 2024, 12:00 (GMT+5:45)", "2024-03-05T12:00:00+05:45"),
        ("2024-03-05 10:00:00+05", "2024-03-05T10:00:00+05:00"),
        ("5 March 2024 10:00:00 −03:30", "2024-03-05T10:00:00-03:30"),
        ("5 March 2024 10:00-12:00", "2024-03-05T10:00:00Z"),
    ],
)
def test_an_offset_from_utc_is_part_of_a_time(text: str, expected: str) -> None:
    assert value(text, TIME) == expected
