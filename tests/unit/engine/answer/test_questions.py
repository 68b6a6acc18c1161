"""Kinds of questions and what answers them."""

import pytest

from app.engine.answer.confidence.questions import AnswerKind, asked_for, offers


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How many people live there?", AnswerKind.NUMBER),
        ("Wie viele Menschen leben dort?", AnswerKind.NUMBER),
        ("What is the maximum length of a name?", AnswerKind.NUMBER),
        ("When was it built?", AnswerKind.DATE),
        ("In welchem Jahr wurde es gebaut?", AnswerKind.DATE),
        ("Who wrote it?", AnswerKind.OTHER),
        ("Wo liegt es?", AnswerKind.OTHER),
        ("Why did it fail?", AnswerKind.OTHER),
        ("Which command lists files?", AnswerKind.CODE),
        ("How do I list files?", AnswerKind.OTHER),
        ("What is the default of timeout?", AnswerKind.DEFAULT),
        ("What is a monad?", AnswerKind.DEFINITION),
        ("What is the capital of France?", AnswerKind.OTHER),
    ],
)
def test_question_words_tell_the_kind(question: str, kind: AnswerKind) -> None:
    assert asked_for(question) is kind


@pytest.mark.parametrize(
    ("kind", "sentence", "question", "expected"),
    [
        (AnswerKind.NUMBER, "It has 12 rooms.", "How many rooms?", 1.0),
        (AnswerKind.NUMBER, "It has rooms.", "How many rooms?", 0.0),
        (AnswerKind.NUMBER, "In 1998 it had rooms.", "How many rooms in 1998?", 0.0),
        (AnswerKind.DATE, "It opened in 1889.", "When did it open?", 1.0),
        (AnswerKind.CODE, "Use --force here.", "Which option?", 0.5),
        (AnswerKind.OTHER, "Anything.", "What?", 0.5),
    ],
)
def test_sentence_offers_the_kind_asked_for(
    kind: AnswerKind, sentence: str, question: str, expected: float
) -> None:
    assert offers(kind, sentence, question) == expected


@pytest.mark.parametrize(
    ("sentence", "offered"),
    [("A clutch holds four to seven eggs.", 1.0), ("It weighs 250 to 480 grams.", 0.5)],
)
def test_how_many_asks_for_a_number_of_just_these(sentence: str, offered: float) -> None:
    question = "How many eggs does a barn owl lay?"
    assert offers(asked_for(question), sentence, question) == offered
