"""Why something that the server worked on has failed."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Failure:
    """Why it failed; `code` is of the server's catalogue of errors."""

    code: str
    message: str
    retryable: bool
