"""Dates of a text in many languages, and what they leave open."""

import pytest

from app.engine.text.dates import Day, dates


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("on 3 October 1990", "en", Day(1990, 10, 3)),
        ("on Oct. 3rd, 1990", "en", Day(1990, 10, 3)),
        ("in October 1990", "en", Day(1990, 10, None)),
        ("on 3 October", "en", Day(None, 10, 3)),
        ("am 3. Oktober 1990", "de", Day(1990, 10, 3)),
        ("el 3 de octubre de 1990", "es", Day(1990, 10, 3)),
        ("3 января 2021 г.", "ru", Day(2021, 1, 3)),
        ("1990. október 3.", "hu", Day(1990, 10, 3)),
        ("2021. gada 5. janvāris", "lv", Day(2021, 1, 5)),
        ("5 जनवरी 2021", "hi", Day(2021, 1, 5)),
        ("5 tháng 1, 2021", "vi", Day(2021, 1, 5)),
        ("1990年10月3日", "zh", Day(1990, 10, 3)),
        ("1990-10-03", None, Day(1990, 10, 3)),
        ("3.10.1990", None, Day(1990, 10, 3)),
        ("10/13/1990", None, Day(1990, 10, 13)),
        ("le 3 fevrier 1990", "fr", Day(1990, 2, 3)),
        ("1990-OCT-03", "en", Day(1990, 10, 3)),
    ],
)
def test_a_date_is_read(text: str, language: str | None, expected: Day) -> None:
    (date,) = dates(text, language)
    assert date.days == (expected,)


@pytest.mark.parametrize(
    ("text", "language"),
    [("12 items 2020", "en"), ("Mars 2020", "en"), ("3 jui 2020", "fr"), ("2.10.2021.3", "en")],
)
def test_what_is_none_is_left(text: str, language: str) -> None:
    assert dates(text, language) == []


def test_figures_may_have_the_day_or_the_month_first() -> None:
    (date,) = dates("03/04/2020")
    assert date.days == (Day(2020, 4, 3), Day(2020, 3, 4))


def test_a_date_is_found_where_it_stands() -> None:
    text = "Begun on 3 March 1889, it ended in May 1890."
    assert [text[x.start : x.end] for x in dates(text, "en")] == ["3 March 1889", "May 1890"]
