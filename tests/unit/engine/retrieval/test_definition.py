"""What is X: which questions ask it, and which texts say it."""

import pytest

from app.engine.retrieval.definition import defines, subject_of


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("What is a context manager?", "context manager"),
        ("what's duck-typing", "duck typing"),
        ("Was ist ein Vektor?", "vektor"),
        ("Qu'est-ce que la photosynthèse ?", "photosynthèse"),
        ("What is the capital of France?", None),
        ("What is the default?", None),
        ("How do I write a context manager?", None),
    ],
)
def test_subject_is_what_is_to_be_defined(question: str, subject: str | None) -> None:
    assert subject_of(question) == subject


@pytest.mark.parametrize(
    ("text", "surely"),
    [
        ("duck-typing\nA style of programming.", 1.0),
        ("Duck typing is a style of programming.", 1.0),
        ("Duck typing (DT), an old idea, means asking for behaviour.", 1.0),
        ("Duck typing is often criticised.", 0.6),
        ("There is a style called duck typing.", 0.6),
        ("We like duck typing.", 0.0),
        ("Unlike static typing, duck typing checks nothing.", 0.0),
    ],
)
def test_definitions_are_told_from_mentions(text: str, surely: float) -> None:
    assert defines(text, "duck typing") == surely
