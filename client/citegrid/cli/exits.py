"""Exit codes, and what a failure says to a person."""

import shlex
from enum import IntEnum
from pathlib import Path

from citegrid import errors
from citegrid.nouns.search.search_results import SearchNotCompleted
from citegrid.profiles.saved import UnknownProfile


class Exit(IntEnum):
    DONE = 0
    FAILED = 1
    USAGE = 2
    NOT_FOUND = 3
    AUTHENTICATION = 4
    PAYMENT = 5
    WEAK = 6
    """Finished, but without an answer or with a failed check: scripts can refuse it."""
    TRY_LATER = 75
    """EX_TEMPFAIL of sysexits.h."""
    TIMEOUT = 124
    """As `timeout(1)`."""
    INTERRUPTED = 130
    BROKEN_PIPE = 141
    """As shells have it of a program whose reader has gone."""


_CODES: tuple[tuple[type[errors.CitegridError], Exit], ...] = (
    (errors.NotFound, Exit.NOT_FOUND),
    (errors.Unauthenticated, Exit.AUTHENTICATION),
    (errors.Forbidden, Exit.AUTHENTICATION),
    (errors.PaymentRequired, Exit.PAYMENT),
    (errors.StillRunning, Exit.TIMEOUT),
    (errors.InvalidBaseUrl, Exit.USAGE),
    (errors.InvalidArgument, Exit.USAGE),
    (errors.BadRequest, Exit.USAGE),
    (UnknownProfile, Exit.USAGE),
)


def code_of(error: errors.CitegridError) -> Exit:
    for kind, code in _CODES:
        if isinstance(error, kind):
            return code
    later = isinstance(error, errors.ApiError) and error.retryable
    return Exit.TRY_LATER if later else Exit.FAILED


_HINTS: tuple[tuple[type[errors.CitegridError], str], ...] = (
    (errors.AuthInvalidCredentials, ""),
    (errors.Unauthenticated, "citegrid login  # or set SERVICE_API_KEY"),
    (errors.ApiKeyScope, "citegrid login  # with e-mail and password, not an API key"),
    (errors.ConnectionFailed, "citegrid status"),
    (errors.ProfileRequired, "citegrid provider save"),
)


def hint(error: errors.CitegridError) -> str:
    """The next command, where one is known."""
    if isinstance(error, errors.StillRunning):
        return resume(error.id)
    if isinstance(error, SearchNotCompleted):
        return f"citegrid search get {error.search.id}"
    return next((text for kind, text in _HINTS if isinstance(error, kind)), "")


def resume(id: str, output: Path | None = None) -> str:
    """Returns the commands to go on with, or end, a search or a job that nobody waits for
    any more; of a corpus, the one that lists what is still read.
    """
    if id.startswith("job_"):
        into = f" -o {shlex.quote(str(output))}" if output else ""
        return f"citegrid jobs watch {id}{into}\ncitegrid jobs cancel {id}"
    if id.startswith("camp_"):
        return f"citegrid campaigns watch {id}"
    if id.startswith("corp_"):
        return f"citegrid corpora documents {id} --state waiting"
    return f"citegrid search wait {id}\ncitegrid search cancel {id}"
