"""The child process: reads the documents it is handed, one after another, until it is left.

A program of `template`. It speaks `messages` on its standard input, which is a socket. Whatever
goes wrong with a document is the answer about that document.
"""

import codecs
import encodings.aliases
import os
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from functools import cache, partial
from typing import Any

from app.engine.extraction.records.records import Record
from app.engine.extraction.records.warm_up import warm
from app.engine.pages.formats.examples import EXAMPLES
from app.engine.pages.page import PageUnreadable, Unreadable
from app.engine.pages.site.sitemap import SitemapUnreadable, read_sitemap
from app.engine.sandbox import extract, messages
from app.engine.sandbox.child_process import IDLE_SECONDS
from app.engine.sandbox.confinement import confine
from app.engine.sandbox.documents import Document, Extraction, ReadingScope
from app.engine.sandbox.prepare import read_document

_CONNECTION = 0
_IDLE_FACTOR = 1.5
_SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "price": {"type": "number"},
        "at": {"type": "string", "format": "date"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
}
_RECORDS = (
    "<html lang=en><head><title>A</title><meta property='og:title' content=A>"
    '<script type=\'application/ld+json\'>{"@type": "Thing", "name": "A"}</script></head>'
    "<body itemscope><h1 itemprop=name>A</h1><table><tr><th>Price<td>$5.00</table>"
    "<dl><dt>At<dd>2 May 2020</dl><ul><li>a: 1<li>b: 2<li>c: 3</ul></body></html>"
)

Answering = Callable[[Mapping[str, Any], bytes], object]
"""Makes the answer to one kind of message: plain data, or dataclasses of plain data."""


@cache
def load() -> dict[str, Answering]:
    """The kinds of messages that a child answers; everything they need is loaded."""
    _warm_up()
    _warm_up_extraction()
    return {
        "page": _page,
        "sitemap": _sitemap,
        "extract": _extract,
        "second": _second,
        "example": _example,
    }


def main(memory_bytes: int) -> None:
    serve(load(), memory_bytes)


def serve(answering: Mapping[str, Answering], memory_bytes: int) -> None:
    """Give up all that answering does not need, then answer until the parent has gone."""
    missing = confine(memory_bytes)
    _write(messages.encode({"ready": True, "missing": missing}))
    with suppress(messages.ChannelFailed, OSError):
        while True:
            # Ends the process (SIGALRM) when it was idle for so long that its parent has left it.
            signal.setitimer(signal.ITIMER_REAL, _IDLE_FACTOR * IDLE_SECONDS)
            _answer(answering)


def _warm_up() -> None:
    for name in sorted(set(encodings.aliases.aliases.values())):
        with suppress(LookupError):
            codecs.lookup(name)
    # What is loaded when it is first needed has to be loaded before confinement.
    for media_type, body in EXAMPLES.items():
        document = Document(body, media_type, "utf-8", "https://example.org/2020/01/a")
        read_document(document)
    datetime.strptime("2020+0000", "%Y%z")  # imports a module when it is first called
    read_sitemap(b"<urlset><url><loc>https://example.org/</loc></url></urlset>", "https://a.org/")


def _warm_up_extraction() -> None:
    warm()
    example = Document(_RECORDS.encode(), "text/html", "utf-8", "https://example.org/a")
    for record in extract.extract_document(example, Extraction(_SCHEMA)).records.records:
        extract.second(example, _SCHEMA, record)
    extract.learn_example(example, _SCHEMA, {"name": "A", "price": 5})


def _answer(answering: Mapping[str, Answering]) -> None:
    head, body = messages.receive(partial(os.read, _CONNECTION))
    assert isinstance(head, dict)  # noqa: S101 - the parent's own words
    signal.setitimer(signal.ITIMER_REAL, 0)
    # Ends the process (SIGPROF) when the document has had its time.
    signal.setitimer(signal.ITIMER_PROF, head["cpu_seconds"])
    try:
        answer = messages.encode(answering[head["kind"]](head, body))
    except (PageUnreadable, SitemapUnreadable) as refused:
        reason = refused.reason if isinstance(refused, PageUnreadable) else Unreadable.UNREADABLE
        answer = messages.encode({"unreadable": reason.value})
    except MemoryError:
        answer = messages.encode({"unreadable": Unreadable.TOO_COSTLY.value})
    except Exception as error:  # noqa: BLE001 - of whatever library: it is this document's
        answer = messages.encode(
            {"unreadable": Unreadable.UNREADABLE.value, "error": type(error).__name__}
        )
    signal.setitimer(signal.ITIMER_PROF, 0)
    _write(answer)


def document_of(head: Mapping[str, Any], body: bytes) -> Document:
    return Document(body, head["media_type"], head["charset"], head["url"], head["robots_tag"])


def _page(head: Mapping[str, Any], body: bytes) -> object:
    wanted = ReadingScope(head["passages"], head["terms"])
    return {"reading": read_document(document_of(head, body), wanted)}


def _sitemap(head: Mapping[str, Any], body: bytes) -> object:
    return {"sitemap": read_sitemap(body, head["url"])}


def _extract(head: Mapping[str, Any], body: bytes) -> object:
    wanted = Extraction(head["schema"], head["template"], head["family"])
    extracted = extract.extract_document(document_of(head, body), wanted)
    return {"facts": extracted.facts, "records": extracted.records.as_json()}


def _second(head: Mapping[str, Any], body: bytes) -> object:
    first = Record.from_json(head["record"])
    verdict = extract.second(document_of(head, body), head["schema"], first)
    return {"verdict": verdict.as_json()}


def _example(head: Mapping[str, Any], body: bytes) -> object:
    template = extract.learn_example(document_of(head, body), head["schema"], head["data"])
    return {"template": template.as_json()}


def _write(message: bytes) -> None:
    left = memoryview(message)
    while left:
        left = left[os.write(_CONNECTION, left) :]
