"""The model's reply, read as far as it is what was asked for."""

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from app.core import untrusted_json
from app.engine.answer.written.plain_sentences import as_search
from app.engine.answer.written.prompt import MAX_CITATIONS, MAX_QUERIES, MAX_SENTENCES

# Templates that end with the opening tag leave only the closing one in the reply.
_THOUGHT = re.compile(r"\A(?!\s*\{).*</think(?:ing)?>", re.DOTALL)


class NotJson(ValueError):
    """The reply is not the JSON object that was asked for."""


@dataclass(frozen=True, slots=True)
class DraftQuote:
    """The model's quote of passage `number`."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Sentence:
    text: str
    quotes: tuple[DraftQuote, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer as the model wrote it. Nothing in it has been checked.

    `queries` are what it would search for next. What it says is missing is not read: it is asked
    for only so that the model thinks of it before it writes queries.
    """

    sentences: tuple[Sentence, ...]
    queries: tuple[str, ...] = ()


def read(reply: str) -> Draft:
    """Read a reply; thoughts before the object and fences around it are passed over.

    Items of the wrong type are left out, what is beyond the allowed number as well. A reply that
    the limit of tokens cut off is read as far as it goes. Raises NotJson.
    """
    try:
        read_object = json_object(reply)
    except NotJson:
        read_object = _cut_off(reply)
    listed = read_object.get("sentences")
    if not isinstance(listed, list):
        raise NotJson
    sentences = [_sentence(item) for item in listed[:MAX_SENTENCES] if isinstance(item, dict)]
    answered = read_object.get("answered") is not False
    shown = tuple(x for x in sentences if x.text.strip()) if answered else ()
    return Draft(shown, queries(read_object))


def queries(read_object: dict[str, Any]) -> tuple[str, ...]:
    """The first searches of a reply that are fit to be searched for."""
    listed = read_object.get("queries")
    texts = listed[:MAX_QUERIES] if isinstance(listed, list) else []
    searches = [as_search(text) for text in texts if isinstance(text, str)]
    return tuple(dict.fromkeys(filter(None, searches)))


def json_object(reply: str) -> dict[str, Any]:
    """The outermost JSON object of a reply. Raises NotJson."""
    text = _THOUGHT.sub("", reply)
    begin, end = text.find("{"), text.rfind("}")
    try:
        read_object = untrusted_json.loads(text[begin : end + 1])
    except ValueError:
        raise NotJson from None
    if not isinstance(read_object, dict):
        raise NotJson
    return read_object


def _cut_off(reply: str) -> dict[str, Any]:
    """The object of a reply that ends in the middle, behind a citation or a sentence."""
    text = _THOUGHT.sub("", reply)
    complete = text[: text.rfind("}") + 1]
    for closing in ("]}", "]}]}"):
        with suppress(NotJson):
            return json_object(complete + closing)
    raise NotJson


def _sentence(item: dict[str, Any]) -> Sentence:
    text, listed = item.get("text"), item.get("citations")
    quotes = [_quote(x) for x in listed[:MAX_CITATIONS]] if isinstance(listed, list) else []
    kept = tuple(quote for quote in quotes if quote is not None)
    return Sentence(text if isinstance(text, str) else "", kept)


def _quote(item: Any) -> DraftQuote | None:
    match item:
        case {"source": int(number), "quote": str(text)} if not isinstance(number, bool):
            return DraftQuote(number, text)
    return None
