"""Formulas and readings: what stands above a line is not joined to the text beside it."""

import pytest

from app.engine.pages.formats.html import read_html

URL = "https://example.org/a"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<msup><mn>10</mn><mn>6</mn></msup>", "10⁶"),
        ("<msup><mn>10</mn><mrow><mo>-</mo><mn>6</mn></mrow></msup>", "10⁻⁶"),
        ("<mfrac><mn>1</mn><mn>2</mn></mfrac>", "1/2"),
        ("<mn>2</mn><mfrac><mn>1</mn><mn>2</mn></mfrac>", "2 1/2"),
        (
            "<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mi>c</mi></mfrac>",
            "(a+b)/c",
        ),
        ("<msup></msup><mfrac></mfrac><mn>3</mn>", "3"),
    ],
)
def test_a_formula_keeps_its_powers_and_fractions(markup: str, text: str) -> None:
    spaced = markup.replace("><", ">\n  <")
    source = '<annotation encoding="application/x-tex">x^6</annotation>'
    for formula in (markup, spaced, f"<semantics>{markup}{source}</semantics>"):
        sentence = "The train in Bavaria reached {} joule at the end of its track."
        page = read_html(f"<p>{sentence.format(f'<math>{formula}</math>')}</p>", URL)
        assert page.text == sentence.format(text)


def test_a_power_is_one_on_a_page_of_a_single_sentence() -> None:
    page = read_html("<p>The train reached 3 × 10<sup>6</sup> joule in Bavaria.</p>", URL)
    assert page.text == "The train reached 3 × 10⁶ joule in Bavaria."


@pytest.mark.parametrize(
    "markup",
    [
        "<ruby>東京<rp>(</rp><rt>とうきょう</rt><rp>)</rp></ruby>",
        "<ruby>東<rt>とう</rt>京<rt>きょう</rt></ruby>",
        "<ruby><rb>東京</rb><rtc><rt>とうきょう</rt></rtc></ruby>",
    ],
)
def test_a_reading_above_a_word_does_not_part_the_text(markup: str) -> None:
    sentence = "{}は日本の首都で、人口は約千四百万人であり、世界最大の都市圏の中心である。"
    page = read_html(f"<article><p>{sentence.format(markup) * 3}</p></article>", URL)
    assert page.text == sentence.format("東京") * 3
