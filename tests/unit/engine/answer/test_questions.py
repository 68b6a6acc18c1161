"""Kinds of questions and what answers them."""

import pytest

from app.engine.answer.confidence.questions import Asked, asked_for, offers


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How many people live there?", Asked.NUMBER),
        ("Wie viele Menschen leben dort?", Asked.NUMBER),
        ("What is the maximum length of a name?", Asked.NUMBER),
        ("When was it built?", Asked.DATE),
        ("In welchem Jahr wurde es gebaut?", Asked.DATE),
        ("Who wrote it?", Asked.OTHER),
        ("Wo liegt es?", Asked.OTHER),
        ("Why did it fail?", Asked.OTHER),
        ("Which command lists files?", Asked.CODE),
        ("How do I list files?", Asked.OTHER),
        ("What is the default of timeout?", Asked.DEFAULT),
        ("What is a monad?", Asked.DEFINITION),
        ("What is the capital of France?", Asked.OTHER),
    ],
)
def test_question_words_tell_the_kind(question: str, kind: Asked) -> None:
    assert asked_for(question) is kind


@pytest.mark.parametrize(
    ("kind", "sentence", "question", "expected"),
    [
        (Asked.NUMBER, "It has 12 rooms.", "How many rooms?", 1.0),
        (Asked.NUMBER, "It has rooms.", "How many rooms?", 0.0),
        (Asked.NUMBER, "In 1998 it had rooms.", "How many rooms in 1998?", 0.0),
        (Asked.DATE, "It opened in 1889.", "When did it open?", 1.0),
        (Asked.CODE, "Use --force here.", "Which option?", 0.5),
        (Asked.OTHER, "Anything.", "What?", 0.5),
    ],
)
def test_sentence_offers_the_kind_asked_for(
    kind: Asked, sentence: str, question: str, expected: float
) -> None:
    assert offers(kind, sentence, question) == expected


@pytest.mark.parametrize(
    ("sentence", "offered"),
    [("A clutch holds four to seven eggs.", 1.0), ("It weighs 250 to 480 grams.", 0.5)],
)
def test_how_many_asks_for_a_number_of_just_these(sentence: str, offered: float) -> None:
    question = "How many eggs does a barn owl lay?"
    assert offers(asked_for(question), sentence, question) == offered
