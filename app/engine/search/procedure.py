"""Questions of how something is done, and how far a text tells one what to do: by the commands,
options and settings that it names, and by sentences that say do this.
"""

import re
from typing import Final

_ASKS_HOW: Final = re.compile(
    r"\s*(?:how (?:do|can|could|to|should|would)|can i|is it possible"
    r"|wie (?:kann|können|soll|sollte|muss|lässt|\w+e) (?:ich|man|wir|sich)|kann (?:ich|man))\b",
    re.IGNORECASE,
)
_NAME: Final = re.compile(
    r"(?<!\w)--?[a-z][\w-]+"  # --force
    r"|\b\w+(?:_\w+|\(\)|=\w+|\.\w+\()"  # max_size, save(), name=value, os.getenv(
    r"|`[^`\n]+`|(?<=\s)/\w+/[\w/.]+",  # what is set as code, and a path
    re.IGNORECASE,
)
_TELLS: Final = re.compile(
    r"(?:^|[.:!?]\s+|\n)(?:to|in order to|you (?:can|may|must|should|need to)|if you want"
    r"|use|run|set|add|type|create|specify"
    r"|um|sie (?:können|müssen|sollten)|wenn sie"
    r"|(?:verwenden|benutzen|führen|setzen|geben|legen|fügen) sie)\b",
    re.IGNORECASE,
)
_ENOUGH: Final = 3


def asks_how(question: str) -> bool:
    """True if a question asks how to do something, and not how something happened."""
    return _ASKS_HOW.match(question) is not None


def instructs(text: str) -> float:
    """Rates how far a text tells one what to do, 0 to 1: half for three names of what one types or
    more, half for three sentences that say do this.
    """
    return (_share(_NAME, text) + _share(_TELLS, text)) / 2


def _share(pattern: re.Pattern[str], text: str) -> float:
    """The share of three different things of a kind that a text holds, 1 for more."""
    found: set[str | int] = set()
    for match in pattern.finditer(text):
        found.add(match[0] if pattern is _NAME else match.start())
        if len(found) == _ENOUGH:
            break
    return len(found) / _ENOUGH
