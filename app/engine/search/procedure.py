"""Questions of how something is done, and the commands, options and settings that a text names."""

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
_ENOUGH: Final = 3


def asks_how(question: str) -> bool:
    """True if a question asks how to do something, and not how something happened."""
    return _ASKS_HOW.match(question) is not None


def instructs(text: str) -> float:
    """Rates how much of what one types a text names: 1 for three names or more, 0 for none."""
    names: set[str] = set()
    for match in _NAME.finditer(text):
        names.add(match[0])
        if len(names) == _ENOUGH:
            break
    return len(names) / _ENOUGH
