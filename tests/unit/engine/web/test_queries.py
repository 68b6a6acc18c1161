"""What engines are asked: within their limits, and what a deep search asks further."""

from app.engine.search.interface import IndexedPassage
from app.engine.search.query import parse
from app.engine.search.score_scale import Analysed
from app.engine.text import analysis
from app.engine.web.queries import MOST_CHARACTERS, MOST_WORDS, follow_ups, restricted


def read(*texts: str) -> list[Analysed]:
    passages = [IndexedPassage(-i, str(i), text, language="en") for i, text in enumerate(texts, 1)]
    return [(p, analysis.terms(p.indexed_text, "en")) for p in passages]


def further(question: str, best: list[Analysed], others: list[Analysed]) -> list[str]:
    return follow_ups(parse(question), best, [*best, *others], 3)


def test_a_question_without_domains_is_asked_as_it_is() -> None:
    assert restricted(" how do\nowls  hunt? ") == "how do owls hunt?"


def test_domains_become_operators() -> None:
    assert restricted("owls", ["a.org", "b.org"], ["c.org"]) == (
        "owls (site:a.org OR site:b.org) -site:c.org"
    )


def test_a_long_question_is_cut_to_what_engines_take() -> None:
    asked = restricted("word " * 400, ["a.org"], ["b.org"])
    assert len(asked) <= MOST_CHARACTERS
    assert len(asked.split()) <= MOST_WORDS
    assert asked.endswith("site:a.org -site:b.org")


def test_sites_that_do_not_all_fit_are_all_left_out() -> None:
    assert restricted("owls", [f"{'x' * 60}{i}.example.org" for i in range(20)]) == "owls"


def test_a_question_of_two_parts_is_asked_in_parts() -> None:
    asked = further("How do barn owls hunt and what do tawny owls eat?", [], [])
    assert asked == ["How do barn owls hunt", "what do tawny owls eat?"]


def test_one_word_beside_a_conjunction_is_no_part() -> None:
    assert further("salt and vinegar crisps", [], []) == ["vinegar crisps"]


def test_words_that_mark_the_best_passages_are_added() -> None:
    best = read(
        "Barn owls hear voles under snow thanks to their facial disc.",
        "The facial disc of an owl leads sound to its ears.",
    )
    others = read(*(f"Owls and hearing are treated in chapter {i} of this book." for i in range(9)))
    (asked,) = further("owl hearing", best, others)
    assert asked.split()[:2] == ["owl", "hearing"]
    assert set(asked.split()[2:]) == {"facial", "disc"}


def test_quotes_are_not_torn_apart() -> None:
    assert further('"salt and pepper" soup and bread rolls', [], []) == []


def test_an_excluded_word_is_not_asked_for() -> None:
    best = read("Pythons of the facial disc", "The facial disc again")
    (asked,) = further("python hearing -snake", best, read(*["python"] * 5))
    assert "snake" not in asked


def test_nothing_read_leads_nowhere() -> None:
    assert further("owl hearing", [], []) == []
