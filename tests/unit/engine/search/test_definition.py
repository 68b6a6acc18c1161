"""What is X: which questions ask it, and which texts say it."""

import pytest

from app.engine.search.definition import defines, subject_of


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("What is a context manager?", "context manager"),
        ("what's duck-typing", "duck typing"),
        ("Was ist ein Vektor?", "vektor"),
        ("Qu'est-ce que la photosynthèse ?", "photosynthèse"),
        ("What does VACUUM do?", "vacuum"),
        ("What does select_related() do?", "select_related"),
        ("What is postscreen for?", "postscreen"),
        ("what REINDEX does", "reindex"),
        ("What does the WAL mode mean?", "wal mode"),
        ("Was macht VACUUM?", "vacuum"),
        ("Wozu dient der Index?", "index"),
        ("What does greylisting need?", None),
        ("What should I do?", None),
        ("What is the country known for?", None),
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


@pytest.mark.parametrize(
    ("text", "surely"),
    [
        ("VACUUM rebuilds the database file.", 0.8),
        ("The VACUUM command rebuilds the database file.", 0.8),
        ("Der Befehl VACUUM baut die Datenbank neu auf.", 0.8),
        ("Tools.vacuum(full)\nRebuilds the database file.", 1.0),
        ("VACUUM fails the moment a transaction is open.", 0.0),
        ("The VACUUM command may change the numbers of rows.", 0.0),
        ("VACUUM (but not VACUUM INTO) is a write operation.", 0.0),
        ("Rebuilds the database file.", 0.0),
    ],
)
def test_what_something_does_defines_it(text: str, surely: float) -> None:
    assert defines(text, "vacuum") == surely


@pytest.mark.parametrize("heading", ["VACUUM", "2.1 The VACUUM command", "db.vacuum(full=False)"])
@pytest.mark.parametrize("text", ["Rebuilds the file.", "This command rebuilds the file."])
def test_under_its_name_the_subject_goes_without_saying(heading: str, text: str) -> None:
    assert defines(text, "vacuum", heading) == 1.0
    assert defines(text, "vacuum", "Transactions") == 0.0
