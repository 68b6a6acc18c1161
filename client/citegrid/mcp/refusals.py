"""The message of a failure to a model: what happened, what to do, whether to try again."""

from dataclasses import dataclass
from math import ceil
from typing import Final

from citegrid import errors
from citegrid.errors import ApiError, CitegridError

CORRECTABLE: Final = frozenset({400, 409, 413, 415, 422})
MOST_CHARACTERS: Final = 300

_CHECK_KEY: Final = (
    "Ask the user to check the API key in this server's entry in the host's configuration "
    "(SERVICE_API_KEY, or the Authorization header) and to restart it."
)
_SIGN_IN: Final = (
    f"{_CHECK_KEY.removesuffix('.')}, or, where it uses a saved login, to run `citegrid login`."
)
_SETTING: Final = (
    "Ask the user to put SERVICE_API_KEY into \"env\" of this server's entry in the host's "
    "configuration and to restart it."
)
_CHECK_ADDRESS: Final = "Ask the user to check SERVICE_BASE_URL in the host's configuration."


class NotConfigured(CitegridError):
    """The tools are not configured; the message names the missing setting."""


@dataclass(frozen=True, slots=True)
class Refusal:
    code: str
    happened: str
    advice: str
    again: bool

    def __str__(self) -> str:
        again = "Then it can be tried again." if self.again else "Do not try again unchanged."
        return f"[{self.code}] {self.happened} {self.advice} {again}"


_REFUSALS: Final[tuple[tuple[type[CitegridError], Refusal], ...]] = (
    (
        errors.ApiKeyScope,
        Refusal("unauthorized", "The API key lacks the scope {scope}.", _CHECK_KEY, False),
    ),
    (
        errors.Unauthenticated,
        Refusal("unauthorized", "The service refused the API key or saved login.", _SIGN_IN, False),
    ),
    (
        errors.Forbidden,
        Refusal("unauthorized", "The API key may not do this.", _CHECK_KEY, False),
    ),
    (
        errors.PaymentRequired,
        Refusal(
            "quota_exceeded",
            "The account cannot pay for this.",
            "Tell the user. Earlier results can still be read.",
            False,
        ),
    ),
    (
        errors.TooManyRequests,
        Refusal(
            "rate_limited",
            "Too many requests.",
            "Wait {wait} and do not start duplicates.",
            True,
        ),
    ),
    (
        errors.AnswerTimedOut,
        Refusal("backend_timeout", "The service did not answer in time.", "Wait {wait}.", True),
    ),
    (
        errors.DeadlineReached,
        Refusal("backend_timeout", "The service did not answer in time.", "Wait {wait}.", True),
    ),
    (
        errors.ConnectionFailed,
        Refusal("backend_unreachable", "The service could not be reached.", _CHECK_ADDRESS, True),
    ),
    (
        errors.UnusableAnswer,
        Refusal("bad_response", "The answer is not one of this service.", _CHECK_ADDRESS, False),
    ),
)
_NOT_FOUND: Final = {
    "search": (
        "This account has no such search, or it has expired.",
        "Call service_list_searches for the search_id values there are, or start a new search.",
    ),
    "jobs": (
        "This account has no such job, or it has expired.",
        "Check the job_id, or start a new extraction.",
    ),
    "corpora": (
        "This account has no such corpus.",
        "Call service_list_corpora for the corpora there are.",
    ),
    "campaigns": (
        "This account has no such campaign.",
        "Check the campaign_id, or describe a new campaign.",
    ),
}
"""By the scope of the tool: what it did not find, and what to do."""
_BROKEN: Final = Refusal("backend_error", "The service failed.", "Wait {wait}.", True)
_STRANGE: Final = Refusal(
    "bad_response", "Something else than the service answered.", _CHECK_ADDRESS, False
)


def explained(error: CitegridError, scope: str = "search") -> str:
    """The text for a model, about a tool that needs a key with `scope`.

    Nothing of an answer is repeated but why arguments were refused.
    """
    if isinstance(error, NotConfigured):
        return str(Refusal("not_configured", str(error), _SETTING, False))
    if isinstance(error, errors.InvalidArgument):
        return str(Refusal("invalid_arguments", str(error), "Correct the arguments.", False))
    if isinstance(error, ApiError) and error.status in CORRECTABLE:
        return _correctable(error)
    if isinstance(error, errors.NotFound):
        return str(Refusal("not_found", *_NOT_FOUND[scope], again=False))
    retry_after = getattr(error, "retry_after", None)
    wait = f"{ceil(retry_after)} seconds" if retry_after else "a few seconds"
    return str(_refusal(error)).replace("{wait}", wait).replace("{scope}", scope)


def _correctable(error: ApiError) -> str:
    """The server's own words: they name field and rule."""
    happened = error.explanation[:MOST_CHARACTERS]
    return str(Refusal(error.code[:40], happened, "Correct the arguments.", error.retryable))


def _refusal(error: CitegridError) -> Refusal:
    for kind, refusal in _REFUSALS:
        if isinstance(error, kind):
            return refusal
    return _BROKEN if isinstance(error, ApiError) and error.status >= 500 else _STRANGE
