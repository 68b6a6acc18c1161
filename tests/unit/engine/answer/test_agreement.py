"""When a passage supports what another source is cited with."""

import pytest

from app.engine.answer.sources.agreement import Witness, claim, supports
from app.engine.search.interface import IndexStats
from app.engine.text import analysis

STATS = IndexStats(100, 50.0, {"barn": 10, "owl": 10, "egg": 5})
SAID = "The Barn Owl weighs 1,033 grams in Norway."


def held(said: str, text: str, language: str = "en") -> bool:
    witness = Witness(text, language, frozenset(analysis.terms(text, language)))
    return supports(witness, claim(said, language, STATS))


def test_the_same_words_support() -> None:
    assert held(SAID, "In Norway a barn owl weighs 1033 grams.")


def test_another_number_does_not() -> None:
    assert not held(SAID, "In Norway a barn owl weighs 1034 grams.")


@pytest.mark.parametrize("number", ["1033", "1,033", "1.033"])
def test_a_thousands_separator_changes_no_number(number: str) -> None:
    assert held(SAID, f"In Norway a barn owl weighs {number} grams.")


def test_a_decimal_comma_is_a_decimal_point() -> None:
    assert held("Die Eule wiegt 2,5 Kilo.", "Die Eule wiegt 2.5 Kilo.", "de")


def test_half_of_the_names_must_stand_there() -> None:
    said = "Anna Karenina met Alexei Vronsky at the station in spring."
    assert not held(said, "They met at the station in spring, so Anna said.")
    assert held(said, "Anna met Vronsky at the station.")


def test_few_of_the_words_are_not_enough() -> None:
    assert not held("Moss grows slowly on shaded northern roofs.", "Moss is green.")


def test_two_sentences_in_a_row_support_together() -> None:
    assert held(SAID, "The barn owl lives in Norway. It weighs 1033 grams.")


def test_words_scattered_over_a_passage_do_not() -> None:
    text = "A barn is red. Rain fell all day there. The owl slept. Nothing came. Norway has 1033."
    assert not held(SAID, text)


def test_nothing_supports_a_claim_without_words() -> None:
    assert not held("!", "Anything at all.")
