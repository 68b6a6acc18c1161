"""Which pairs of sources contradict each other, and what the answer says then."""

import pytest

from app.engine.answer.evidence import Answer, Contradiction, Evidence
from app.engine.answer.extracts.extractive import answer
from app.engine.search.interface import IndexStats
from app.engine.search.query import parse

STATS = IndexStats(1000, 60.0, {})


def ask(question: str, *texts: str, language: str = "en", same_source: bool = False) -> Answer:
    found = [
        Evidence(0 if same_source else i, text, 0, len(text), 1.0 - i / 100, language=language)
        for i, text in enumerate(texts)
    ]
    return answer(parse(question, language=language), found, STATS)


@pytest.mark.parametrize(
    ("question", "one", "other", "values"),
    [
        ("When was the Eiffel Tower completed?",
         "The Eiffel Tower was completed in 1889.",
         "The Eiffel Tower was completed in 1890.", ("1889", "1890")),
        ("In what year did the Norsk bridge open?",
         "The Norsk bridge opened in 1931 after long work.",
         "After long work, the Norsk bridge opened in 1933.", ("1931", "1933")),
        ("When was Anna Lund born?", "Anna Lund was born on 4 May 1901 in Oslo.",
         "Anna Lund was born on 4 June 1901 in Oslo.", ("4 May 1901", "4 June 1901")),
        ("When was Anna Lund born?", "Anna Lund was born on May 4, 1901.",
         "Anna Lund was born on May 14, 1901.", ("May 4, 1901", "May 14, 1901")),
        ("When did the war of Tarn begin?", "The war of Tarn began in 1622.",
         "The war of Tarn began on 3 March 1625.", ("1622", "3 March 1625")),
        ("How many bridges cross the river Elm?", "Twelve bridges cross the river Elm.",
         "14 bridges cross the river Elm.", ("Twelve bridges", "14 bridges")),
        ("How tall is the Orm tower?", "The Orm tower is 324 metres tall.",
         "The Orm tower is 312 metres tall.", ("324 metres", "312 metres")),
        ("How many people live in Vell?", "Vell is where 1.2 million people live.",
         "Vell is where 900,000 people live.", ("1.2 million people", "900,000 people")),
        ("What percentage of the Orm forest burned?", "Of the Orm forest 40% burned.",
         "Of the Orm forest 55% burned.", ("40%", "55%")),
        ("How much did the Orm tower cost?", "The Orm tower cost $5 million.",
         "The Orm tower cost $7 million.", ("$5 million", "$7 million")),
        ("What is the default port of Zed?", "The default port of Zed is 5432.",
         "The default port of Zed is 5433.", ("5432", "5433")),
        ("What is the maximum length of a Zed name?",
         "A Zed name has a maximum length of 63 bytes.",
         "A Zed name has a maximum length of 31 bytes.", ("63 bytes", "31 bytes")),
    ],
)  # fmt: skip
def test_different_values_for_the_same_question_are_shown_as_such(
    question: str, one: str, other: str, values: tuple[str, str]
) -> None:
    assert ask(question, one, other).contradictions == (Contradiction(values, (1, 2)),)


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        ("How tall is the tower?", "The Orm tower is 324 metres tall.",
         "The Vell tower is 333 metres tall."),
        ("How tall is the Orm tower?", "The Orm tower is 324 metres tall.",
         "The Orm tower is 1063 feet tall."),
        ("How tall is the Orm tower?", "The Orm tower is 324 metres tall.",
         "The Orm tower in Las Vegas is 165 metres tall."),
        ("How tall is the Orm tower?", "The Orm tower is 324 metres tall.",
         "The Orm tower is not 165 metres tall."),
        ("How tall is the Orm tower?", "The Orm tower is, on all sides, 324 metres tall.",
         "The Vell tower is, on all sides, 165 metres tall."),
        ("How do I set the default port?", "3. Set the default port.", "5. Set the default port."),
        ("What is the default port?", "Table 9.3. The default port of all.",
         "Table 9.5. The default port of all."),
        ("How many people live in Vell?", "In 2010 5,000 people lived in Vell.",
         "In 2020 6,000 people lived in Vell."),
        ("How many people live in Vell?", "5,000 people live in Vell.",
         "More than 4,000 people live in Vell."),
        ("How many people live in Vell?", "5,000 people live in Vell.",
         "7,000 people lived in Vell before the war."),
        ("When was the Orm tower completed?", "The Orm tower was completed in 1889.",
         "The Orm tower was begun in 1887."),
        ("When was Anna Lund king?", "Anna Lund was king from 1901 to 1905.",
         "Anna Lund was king in 1903."),
        ("What is the default port of Zed?", "The default port of Zed is 5432.",
         "The default port of Zed is 5433 if port 5432 is taken."),
        ("What is the default timeout of Zed?", "The default timeout of Zed is 30 seconds.",
         "The default timeout of Zed is 500 milliseconds."),
        ("How many bridges cross the river Elm?", "12 bridges cross the river Elm.",
         "Twelve bridges cross the river Elm."),
        ("How many bridges cross the river Elm?", "12 bridges cross the river Elm.",
         "Ships on the river Elm cross under bridges of 14 towns, and their crews must lower "
         "masts, pay toll and wait at locks."),
    ],
)  # fmt: skip
def test_values_that_can_both_be_true_are_no_contradiction(
    question: str, one: str, other: str
) -> None:
    assert ask(question, one, other).contradictions == ()


ONE, OTHER = "The default port of Zed is 5432.", "The default port of Zed is 5433."


def test_answer_with_a_contradiction_carries_both_sides_and_says_so() -> None:
    given = ask("What is the default port of Zed?", ONE, OTHER)
    assert given.sentences == (ONE, OTHER)
    assert given.text == f"{ONE} [1]\n\n{OTHER} [2]\n\nThe sources disagree: 5432 / 5433."


def test_contradiction_is_told_in_the_language_of_the_question() -> None:
    given = ask(
        "Wann wurde der Orm-Turm gebaut?",
        "Der Orm-Turm wurde 1889 gebaut.",
        "Der Orm-Turm wurde 1893 gebaut.",
        language="de",
    )
    assert given.text.endswith("Die Quellen widersprechen sich: 1889 / 1893.")


def test_one_source_does_not_contradict_itself() -> None:
    given = ask("What is the default port of Zed?", ONE, OTHER, same_source=True)
    assert given.contradictions == ()


def test_third_value_is_listed_too() -> None:
    given = ask("What is the default port of Zed?", ONE, OTHER, ONE.replace("5432", "6000"))
    assert given.contradictions == (Contradiction(("5432", "5433", "6000"), (1, 2, 3)),)
