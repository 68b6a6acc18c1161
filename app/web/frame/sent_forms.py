"""Forms that were refused, or came too late for their session: shown again with what was typed."""

from collections.abc import Callable, Mapping
from functools import wraps
from types import MappingProxyType
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, urlencode

from flask import current_app, request
from werkzeug.exceptions import HTTPException
from werkzeug.urls import iri_to_uri
from werkzeug.wrappers import Response

from app.core.errors import AppError, Invalid
from app.core.http import csrf
from app.web.frame.navigation import own_path
from app.web.frame.rendering import render

View = Callable[..., Any]

ASKED_AGAIN: Final = {
    "password": "password",
    "current_password": "password",
    "new_password": "password",
    "avatar": "file",
    "files": "file",
}
"""The types of fields that no page holds: secrets, and files, which stay with the browser."""

_OF_NO_READER: Final = frozenset({csrf.FIELD, "base", "key", "next"})


def shown_again(
    page: View,
    at: Mapping[type[AppError], str] = MappingProxyType({}),
    told: Callable[[Invalid], Invalid] = lambda error: error,
) -> Callable[[View], View]:
    """A view of a form that `page` shows again where it is refused, with `errors`.

    `at` names the fields that other errors are about, and `told` puts problems at the fields of a
    form that differs from the body.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def answer(**path: Any) -> Any:
            try:
                return view(**path)
            except Invalid as error:
                return page(**path, errors=told(error))
            except tuple(at) as error:
                field = next(name for kind, name in at.items() if isinstance(error, kind))
                problem = {"field": f"/{field}", "problem": str(error)}
                return page(**path, errors=Invalid(details=[problem]))

        return answer

    return decorate


def whole(text: str) -> int | str:
    """A whole number; what is none stays as it is, for the operation to refuse."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else text


class SentForm(NamedTuple):
    action: str
    fields: list[tuple[str, str]]

    @property
    def encoded(self) -> dict[str, str]:
        """As hidden fields of the form for signing in."""
        return {"sent_to": self.action, "sent": urlencode(self.fields)}

    @property
    def typed(self) -> list[tuple[str, str]]:
        return [
            (name.replace("_", " ").capitalize(), value)
            for name, value in self.fields
            if name not in _OF_NO_READER | ASKED_AGAIN.keys() and value.strip()
        ]


def current() -> SentForm | None:
    """The form of this request, if a page of this site sent it whole."""
    if request.method != "POST" or "HX-Request" in request.headers or not csrf.from_us(request):
        return None
    request.max_content_length = current_app.config["MAX_CONTENT_LENGTH"]  # of strangers too
    try:
        pairs = list(request.form.items(multi=True)) + [(name, "") for name in request.files]
    except HTTPException:  # it is too large
        return None
    fields = [(name, "" if name in ASKED_AGAIN else text) for name, text in pairs]
    action = iri_to_uri(request.full_path.removesuffix("?"))
    return SentForm(action, [pair for pair in fields if pair[0] != csrf.FIELD])


def of_sign_in() -> SentForm | None:
    action, text = own_path(request.form.get("sent_to", "")), request.form.get("sent", "")
    return SentForm(action, parse_qsl(text, keep_blank_values=True)) if action else None


def again(sent: SentForm, status: int = 200) -> Response:
    """The page that shows it, with a token of the session of now."""
    types = {name: ASKED_AGAIN[name] for name, _ in sent.fields if name in ASKED_AGAIN}
    return render("form_again.html", sent=sent, asked_again=types, status=status)
