"""What counts as asking how, and as naming what one types."""

import pytest

from app.engine.search.procedure import asks_how, instructs


@pytest.mark.parametrize(
    "question",
    [
        "How do I set a time limit?",
        "How can a page be excluded?",
        "how to restart it",
        "Can I use it offline?",
        "Wie setze ich ein Zeitlimit?",
        "Wie kann man Seiten ausschließen?",
    ],
)
def test_a_question_of_how_to_do_something_asks_how(question: str) -> None:
    assert asks_how(question)


@pytest.mark.parametrize(
    "question",
    [
        "How did the bridge collapse?",
        "How many pages are read?",
        "What is a lease?",
        "Wie viele Seiten werden gelesen?",
        "Wie alt ist die Brücke?",
    ],
)
def test_a_question_of_how_something_is_or_was_does_not(question: str) -> None:
    assert not asks_how(question)


@pytest.mark.parametrize(
    "text",
    ["run it with --force", "set max_size", "call save()", "port=8080", "edit /etc/app/conf"],
)
def test_a_command_an_option_and_a_setting_are_named(text: str) -> None:
    assert 0 < instructs(text) < 1


def test_three_names_are_enough() -> None:
    three = "Set max_size and call save() with --force."
    assert instructs(three) == 1
    assert instructs(f"{three} Then edit /etc/app/conf.") == 1


def test_the_same_name_counts_once() -> None:
    assert instructs("--force, --force and --force") == instructs("--force")


def test_prose_names_nothing() -> None:
    assert instructs("The owner(s) wait for a well-known bird - the owl - and/or its young.") == 0
