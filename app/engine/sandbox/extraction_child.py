"""The child process that also reads documents for their records.

`python -P -s -m app.engine.sandbox.extraction_child MEMORY_BYTES`. It is a program of its own so
that the children of searches start without the libraries of dates, prices and patterns.
"""

from collections.abc import Mapping
from typing import Any

from app.engine.extraction.records.records import Record
from app.engine.extraction.records.warm_up import warm
from app.engine.sandbox import extract
from app.engine.sandbox.child import Answering, document_of, reading, serve
from app.engine.sandbox.documents import Document, Extraction
from app.engine.sandbox.extract import extract_document

_SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "price": {"type": "number"},
        "at": {"type": "string", "format": "date"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
}
_PAGE = (
    "<html lang=en><head><title>A</title><meta property='og:title' content=A>"
    '<script type=\'application/ld+json\'>{"@type": "Thing", "name": "A"}</script></head>'
    "<body itemscope><h1 itemprop=name>A</h1><table><tr><th>Price<td>$5.00</table>"
    "<dl><dt>At<dd>2 May 2020</dl><ul><li>a: 1<li>b: 2<li>c: 3</ul></body></html>"
)


def main() -> None:
    serve(_answering)


def _answering() -> dict[str, Answering]:
    answering = reading()
    warm()
    example = Document(_PAGE.encode(), "text/html", "utf-8", "https://example.org/a")
    for record in extract_document(example, Extraction(_SCHEMA)).records.records:
        extract.second(example, _SCHEMA, record)
    extract.learn_example(example, _SCHEMA, {"name": "A", "price": 5})
    return {**answering, "extract": _extract, "second": _second, "example": _example}


def _extract(head: Mapping[str, Any], body: bytes) -> object:
    wanted = Extraction(head["schema"], head["template"], head["family"])
    extracted = extract_document(document_of(head, body), wanted)
    return {"facts": extracted.facts, "records": extracted.records.as_json()}


def _second(head: Mapping[str, Any], body: bytes) -> object:
    first = Record.from_json(head["record"])
    verdict = extract.second(document_of(head, body), head["schema"], first)
    return {"verdict": verdict.as_json()}


def _example(head: Mapping[str, Any], body: bytes) -> object:
    template = extract.learn_example(document_of(head, body), head["schema"], head["data"])
    return {"template": template.as_json()}


if __name__ == "__main__":
    main()
