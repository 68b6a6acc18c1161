"""What counts as asking how, and as telling what to do."""

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
    assert instructs("max_size, save(), --force") == 0.5
    assert instructs("max_size, save(), --force, /etc/app/conf") == 0.5


def test_the_same_name_counts_once() -> None:
    assert instructs("--force, --force and --force") == instructs("--force")


@pytest.mark.parametrize(
    "text",
    [
        "To stop it, press the red button.",
        "It is slow. You can wait for it.",
        "Run it again.",
        "Verwenden Sie den roten Knopf.",
    ],
)
def test_a_sentence_that_says_do_this_tells_what_to_do(text: str) -> None:
    assert 0 < instructs(text) < 0.5


def test_names_and_three_such_sentences_are_all() -> None:
    assert instructs("Set max_size. Run save(). Add --force. Use it. Type /etc/app/conf.") == 1


@pytest.mark.parametrize(
    "text",
    [
        "The owner(s) wait for a well-known bird - the owl - and/or its young.",
        "The barn is of no use to the owls that run the farm.",
    ],
)
def test_prose_tells_nothing(text: str) -> None:
    assert instructs(text) == 0
