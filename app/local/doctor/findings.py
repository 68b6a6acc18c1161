"""One line of what `doctor` says."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """`verdict` is ok, warn or fail; `hint` says what to do unless it is ok."""

    verdict: str
    what: str
    hint: str = ""
