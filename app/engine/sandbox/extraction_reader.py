"""Reads untrusted documents for their records in a warm child process: within limits."""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from app.engine.extraction.records.extract import PageRecords
from app.engine.extraction.records.records import Record
from app.engine.extraction.records.second_extraction import Verdict
from app.engine.extraction.site.template import Template
from app.engine.extraction.text import forms
from app.engine.sandbox import answers
from app.engine.sandbox.answers import Malformed
from app.engine.sandbox.documents import Document, ExtractedPage, Extraction
from app.engine.sandbox.reader import DocumentReader, about

CPU_SECONDS = 10.0
Answer = TypeVar("Answer")


class ExtractionReader(DocumentReader):
    """A `DocumentReader` that also reads documents for their records.

    Its methods raise what `read` does; what they return was checked: the child may
    have been taken over by what it read.
    """

    def extract(self, document: Document, deadline: float, wanted: Extraction) -> ExtractedPage:
        """Facts and records of `document`, read before `deadline` (time.monotonic())."""
        head = {
            "kind": "extract",
            "schema": wanted.schema,
            "template": wanted.template,
            "family": wanted.family,
        }
        return self._about(document, head, deadline, extracted)

    def second(
        self, document: Document, deadline: float, schema: dict[str, Any], record: Record
    ) -> Verdict:
        """Compares `record` with what the other family of methods reads."""
        head = {"kind": "second", "schema": schema, "record": record.as_json()}
        return self._about(document, head, deadline, _checked("verdict", Verdict.from_json))

    def learn_example(
        self, document: Document, deadline: float, schema: dict[str, Any], data: dict[str, Any]
    ) -> Template:
        """Learns from the page and its record about the pages of its site."""
        head = {"kind": "example", "schema": schema, "data": data}
        return self._about(document, head, deadline, _checked("template", Template.from_json))

    def _about(
        self,
        document: Document,
        head: dict[str, Any],
        deadline: float,
        checked: Callable[[object], Answer],
    ) -> Answer:
        whole = {**about(document), "cpu_seconds": CPU_SECONDS, **head}
        return self.ask(whole, document.body, deadline, checked)


def extracted(answer: object) -> ExtractedPage:
    """Raises Malformed, and PageUnreadable when that is the answer."""
    page = _checked("records", PageRecords.from_json)(answer)
    if not all(_stands_there(page.text, record) for record in page.records):
        raise Malformed
    return ExtractedPage(answers.facts(answer), page)


def _stands_there(text: str, record: Record) -> bool:
    return all(text[each.start : each.end] == each.quote for each in record.provenance)


def _checked(name: str, from_json: Callable[[Any], Answer]) -> Callable[[object], Answer]:
    """Reads a part of the answer by its own rules."""

    def read(answer: object) -> Answer:
        value = answers.part(answer, name)
        try:
            return from_json(value)
        except forms.Malformed as error:
            raise Malformed from error

    return read


@cache
def extraction_reader() -> ExtractionReader:
    return ExtractionReader()
