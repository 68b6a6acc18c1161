"""Questions of how something is done, and how far a text tells one what to do: by the commands,
options and settings that it names, and by sentences that say do this.
"""

import re
from collections.abc import Iterable
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
    """Rates how far a text tells one what to do: half for what one types, half for orders."""
    names = (match[0] for match in _NAME.finditer(text))
    sentences = (match.start() for match in _TELLS.finditer(text))
    return (_share(names) + _share(sentences)) / 2


def _share(found: Iterable[object]) -> float:
    different: set[object] = set()
    for each in found:
        different.add(each)
        if len(different) == _ENOUGH:
            break
    return len(different) / _ENOUGH
