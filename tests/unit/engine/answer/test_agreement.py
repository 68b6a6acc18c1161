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


SCATTERED = "A barn is red. Rain fell all day there. The owl slept. Nothing came. Norway has 1033."


@pytest.mark.parametrize(
    ("text", "supported"),
    [
        pytest.param("In Norway a barn owl weighs 1033 grams.", True, id="the same words"),
        pytest.param("In Norway a barn owl weighs 1,033 grams.", True, id="thousands by a comma"),
        pytest.param("In Norway a barn owl weighs 1.033 grams.", True, id="thousands by a point"),
        pytest.param("In Norway a barn owl weighs 1034 grams.", False, id="another number"),
        pytest.param("The barn owl lives in Norway. It weighs 1033 grams.", True, id="in a row"),
        pytest.param(SCATTERED, False, id="words scattered over a passage"),
    ],
)
def test_a_passage_supports_what_was_said_or_not(text: str, supported: bool) -> None:
    assert held(SAID, text) is supported


def test_a_decimal_comma_is_a_decimal_point() -> None:
    assert held("Die Eule wiegt 2,5 Kilo.", "Die Eule wiegt 2.5 Kilo.", "de")


def test_half_of_the_names_must_stand_there() -> None:
    said = "Anna Karenina met Alexei Vronsky at the station in spring."
    assert not held(said, "They met at the station in spring, so Anna said.")
    assert held(said, "Anna met Vronsky at the station.")


def test_few_of_the_words_are_not_enough() -> None:
    assert not held("Moss grows slowly on shaded northern roofs.", "Moss is green.")


def test_nothing_supports_a_claim_without_words() -> None:
    assert not held("!", "Anything at all.")
