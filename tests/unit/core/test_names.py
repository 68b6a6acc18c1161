"""Names that people give to keys, computers, corpora and campaigns."""

import pytest
from marshmallow import ValidationError

from app.core.http.names import Name

NAME = Name(most=8)


@pytest.mark.parametrize("name", ["handbook", " Zoë ", "שלום", "日本語", "a\u200db", "ab cd"])
def test_a_name_is_kept_without_the_blanks_around_it(name: str) -> None:
    assert NAME.deserialize(name) == name.strip()


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "visible text"),
        ("\u200b", "visible text"),
        ("a\u202eb", "overrides of the text's direction"),
        ("a\nb", "Control characters"),
        ("a" * 9, "at most 8"),
        (8, "Not a valid string"),
    ],
)
def test_a_name_that_could_not_be_shown_beside_others_is_refused(
    name: object, problem: str
) -> None:
    with pytest.raises(ValidationError, match=problem):
        NAME.deserialize(name)
