"""Users' regular expressions, run in RE2: time linear in the text, memory bounded."""

from functools import lru_cache
from typing import Any, Final

import re2

MAX_PATTERN = 200  # characters
_MAX_BYTES: Final = 1 << 20


class PatternRefused(ValueError):
    """RE2 does not take the pattern; the message says why, as a sentence."""


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> Any:
    """The compiled pattern. Raises PatternRefused."""
    if len(pattern) > MAX_PATTERN:
        raise PatternRefused(f"A pattern may have {MAX_PATTERN} characters.")
    options = re2.Options()
    options.max_mem = _MAX_BYTES
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        raise PatternRefused(_sentence(error)) from None
    except UnicodeEncodeError:
        raise PatternRefused("The pattern is no valid Unicode text.") from None


def matches(pattern: str, text: str) -> bool:
    """True if the pattern stands anywhere in the text, as JSON Schema has it."""
    try:
        return compiled(pattern).search(text) is not None
    except UnicodeEncodeError:  # half a surrogate pair
        return False


def _sentence(error: Exception) -> str:
    reason = error.args[0] if error.args else b""
    text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    return (
        f"The pattern cannot be used: {text[:100]}. Patterns are RE2: no look-around, no "
        "back-references, bounded repetition."
    )
