"""A chat with one offer on its page: its price before, the answer as it comes, its cost after."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

from flask import Blueprint, request
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response

from app.core import amounts
from app.core.errors import AppError
from app.core.http.access import signed_in
from app.core.http.idempotency import IdempotencyInProgress
from app.domains.money.ledger.service import InsufficientCredit
from app.domains.providers.chats import pricing
from app.web.frame.operations import call, respond
from app.web.frame.rendering import render

bp = Blueprint("offer_chat_pages", __name__)

STREAM: Final = "text/event-stream"
DEFAULT_TOKENS: Final = 200
MOST_TOKENS: Final = 4_096
MOST_CHARACTERS: Final = 8_000
MOST_SAID: Final = 40
"""Messages before the new one."""


@dataclass(frozen=True, slots=True)
class ChatForm:
    """The message that was typed, the turns before it, and the price that was seen."""

    message: str = ""
    max_tokens: int = DEFAULT_TOKENS
    said: tuple[str, ...] = ()
    pricing_revision: int = 0

    @classmethod
    def of(cls, form: MultiDict[str, str]) -> "ChatForm":
        tokens = form.get("max_tokens", DEFAULT_TOKENS, type=int)
        return cls(
            message=_lines(form.get("message", ""))[:MOST_CHARACTERS].strip(),
            max_tokens=min(max(tokens, 1), MOST_TOKENS),
            said=tuple(map(_lines, form.getlist("said")))[-MOST_SAID:],
            pricing_revision=form.get("pricing_revision", 0, type=int),
        )

    def body(self, offer: Mapping[str, Any]) -> dict[str, Any]:
        """The request, for this offer at the price that was seen."""
        turns = [*self.said, self.message]
        selection = {"offer_id": offer["offer_id"], "pricing_revision": self.pricing_revision}
        return {
            "model": offer["model"],
            "messages": [
                {"role": "assistant" if turn % 2 else "user", "content": text}
                for turn, text in enumerate(turns)
            ],
            "max_tokens": self.max_tokens,
            "provider_selection": selection,
        }

    def most(self, offer: Mapping[str, Any]) -> str:
        """The most that it can cost, in USD."""
        rates = [Decimal(offer["rates"][name]) for name in ("input", "output")]
        tokens = pricing.input_bound(self.body(offer))
        return amounts.text(pricing.most(tokens, self.max_tokens, *rates))


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n")


@bp.post("/offers/<string:offer_id>/chat")
@signed_in
def chat(offer_id: str) -> Response:
    offer, form = call("getProviderOffer", offer_id=offer_id), ChatForm.of(request.form)
    if request.headers.get("Accept") == STREAM:
        return _streamed(offer, form)
    if not form.message or request.form.get("do") == "price":
        return _page(offer, form)
    try:
        answer = call("createChatCompletion", form.body(offer), once=request.form.get("key"))
    except AppError as error:
        seen_anew = replace(form, pricing_revision=offer["pricing_revision"])
        return _page(offer, seen_anew, error=error)
    reply = answer["choices"][0]["message"].get("content") or ""
    said = (*form.said, form.message, reply)
    following = ChatForm("", form.max_tokens, said, form.pricing_revision)
    return _page(offer, following, usage=answer["usage"])


def _streamed(offer: Mapping[str, Any], form: ChatForm) -> Response:
    """For the script of the page, which shows an error as text."""
    try:
        return respond("createChatCompletion", {**form.body(offer), "stream": True})
    except AppError as error:
        return Response(str(error), error.status, mimetype="text/plain")


def _page(
    offer: Mapping[str, Any],
    form: ChatForm,
    *,
    error: AppError | None = None,
    usage: Mapping[str, Any] | None = None,
) -> Response:
    return render(
        "offers/chat.html",
        status=error.status if error else 200,
        kept=isinstance(error, IdempotencyInProgress),
        offer=offer,
        chat=form,
        most=form.most(offer),
        error=error,
        no_credit=isinstance(error, InsufficientCredit),
        usage=usage,
    )
