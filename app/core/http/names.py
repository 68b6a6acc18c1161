"""Names that people give to things, and other texts of one line that are shown beside others."""

import re
import unicodedata
from typing import Any, Final

from marshmallow import ValidationError

from app.core.http.fields import Str

# Category Cc, and what turns the direction of the text around it (Unicode UAX 9, section 2): a name
# must not rewrite how its neighbours read. Marks of direction are letters' own and stay.
REFUSED: Final = "\\x00-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069"
_BLANK: Final = (
    " \\u00a0\\u00ad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f\\u2000-\\u200f"
    "\\u2028\\u2029\\u202f\\u205f-\\u206f\\u2800\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0"
)
LINE: Final = f"^[^{REFUSED}]*$"
NAME: Final = f"^[^{REFUSED}]*[^{REFUSED}{_BLANK}][^{REFUSED}]*$"
"""The same rules as patterns, for the interface's document."""

_IS_LINE = re.compile(LINE[:-1] + r"\Z")
_IS_BLANK = re.compile(f"[{_BLANK}]*")


class Name(Str):
    """The name of a thing: 1 to `most` code points of one line, trimmed, some of them visible."""

    def __init__(self, *, most: int, **kwargs: Any) -> None:
        super().__init__(minLength=1, maxLength=most, pattern=NAME, **kwargs)
        self.most = most

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        try:
            return name(super()._deserialize(value, attr, data, **kwargs), self.most)
        except ValueError as error:
            raise ValidationError(str(error)) from None


def name(value: object, most: int) -> str:
    """As `line`, with something in it that can be seen."""
    text = line(value, most)
    # Beyond the blanks listed: format characters of every plane, such as tags.
    seen = (c for c in text if unicodedata.category(c) != "Cf")
    if _IS_BLANK.fullmatch("".join(seen)):
        raise ValueError("Must contain visible text.")
    return text


def line(value: object, most: int) -> str:
    """Up to `most` code points, trimmed, in one line. ValueError with a sentence for the caller."""
    if not isinstance(value, str):
        raise ValueError("Must be text.")
    if not _IS_LINE.match(value):  # before trimming, which would take a line break for a blank
        raise ValueError("Control characters are not taken, nor overrides of the text's direction.")
    text = value.strip()
    if len(text) > most:
        raise ValueError(f"Must have at most {most} characters, trimmed.")
    return text
