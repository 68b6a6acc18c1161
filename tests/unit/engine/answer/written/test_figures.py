"""Numbers and dates across spellings and languages: what bears out what."""

import pytest

from app.engine.answer.support.figures import figures, unborne


def borne(claim: str, quote: str, of_claim: str = "en", of_quote: str = "en") -> bool:
    return not unborne(figures(claim, of_claim), figures(quote, of_quote))


@pytest.mark.parametrize(
    ("claim", "quote", "languages"),
    [
        ("4 to 7 eggs", "four to seven eggs", ("en", "en")),
        ("5 million dollars", "$5 million", ("en", "en")),
        ("1.234,5 km", "1,234.5 km", ("de", "en")),
        ("3 Milliarden", "3 billion", ("de", "en")),
        ("1234", "1\u202f234", ("en", "fr")),
        ("250 grams", "between 250 and 480 grams", ("en", "en")),
        ("5 percent", "5 %", ("en", "en")),
        ("5GB", "5 GB", ("en", "en")),
        ("port 5432", "5432/tcp", ("en", "en")),
        ("October 1990", "3 October 1990", ("en", "en")),
        ("3. Oktober 1990", "3 October 1990", ("de", "en")),
        ("in 1990", "on 3 October 1990", ("en", "en")),
        ("on 3 October 1990", "In 1990 it came on 3 October", ("en", "en")),
        ("03/04/2020", "3 April 2020", ("en", "en")),
        ("nothing", "7", ("en", "en")),
    ],
)
def test_the_same_value_is_borne_out(claim: str, quote: str, languages: tuple[str, str]) -> None:
    assert borne(claim, quote, *languages)


@pytest.mark.parametrize(
    ("claim", "quote", "languages"),
    [
        ("4 to 8 eggs", "four to seven eggs", ("en", "en")),
        ("nine eggs", "four to seven eggs", ("en", "en")),
        ("3 Billionen", "3 billion", ("de", "en")),
        ("1234", "1.234", ("en", "en")),
        ("250 kg", "between 250 and 480 grams", ("en", "en")),
        ("5 degrees", "-5 degrees", ("en", "en")),
        ("5 people", "15 people", ("en", "en")),
        ("5 %", "5 people", ("en", "en")),
        ("5 people", "5 %", ("en", "en")),
        ("$5", "€5", ("en", "en")),
        ("5GB", "5 MB", ("en", "en")),
        ("x64", "x86", ("en", "en")),
        ("the 1990s", "in 1990", ("en", "en")),
        ("4 October 1990", "3 October 1990", ("en", "en")),
        ("November 1990", "3 October 1990", ("en", "en")),
        ("3 October 1991", "3 October 1990", ("en", "en")),
        ("October 1991", "3 October 1990, 1991", ("en", "en")),
        ("10:45", "10:30", ("en", "en")),
        ("105 cells", "10⁵ cells", ("en", "en")),
        ("11 cups", "1½ cups", ("en", "en")),
        ("7", "nothing", ("en", "en")),
    ],
)
def test_another_value_is_not(claim: str, quote: str, languages: tuple[str, str]) -> None:
    assert not borne(claim, quote, *languages)
