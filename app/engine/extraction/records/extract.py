"""The door of this package: a page and the plan of a record in, records with their passages out."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, cast, get_args

from lxml.etree import SubElement
from lxml.html import Element, HtmlElement

from app.engine.extraction.changes.page_lines import lines_of
from app.engine.extraction.records.gates import Gate, gate
from app.engine.extraction.records.page_lacks import needs_rendering, soft_404
from app.engine.extraction.records.reading_page import Family, read_page
from app.engine.extraction.records.readings import MOST_RECORDS, Readings
from app.engine.extraction.records.records import Record, SiteEvidence, assemble
from app.engine.extraction.schema.schema import Plan
from app.engine.extraction.text import forms
from app.engine.extraction.text.onetext import OneText, one
from app.engine.extraction.values.typed import Context
from app.engine.pages.blocks.canonical import composed
from app.engine.pages.facts.language import language_of
from app.engine.pages.facts.links import base_of
from app.engine.pages.formats.html import parse

_LONGEST_TEXT = 20_000_000
_LONGEST_PLAIN = 5_000_000
_LONGEST_TITLE = 300
_LONGEST_LINE = 3_000
_MOST_LINES = 5_000
_MOST_PARAGRAPHS = 50_000


@dataclass(frozen=True, slots=True)
class PageRecords(forms.JsonForm):
    """The one text of a page, what is visible of it being `text[:visible_end]`, and its records.

    `readings` make the records again when more is known of the site. `lines` are (place, line),
    only without a plan. `needs_rendering`: a browser would show more. `soft_404`: a page that
    says it is none. `gate`: a login, a consent or an error. Neither has records.
    """

    text: str
    visible_end: int
    language: str | None = None
    title: str | None = None
    records: tuple[Record, ...] = ()
    readings: Readings = field(default_factory=Readings)
    truncated: bool = False
    needs_rendering: bool = False
    soft_404: bool = False
    gate: Gate | None = None
    lines: tuple[tuple[str, str], ...] = ()

    @classmethod
    def from_json(cls, form: object) -> "PageRecords":
        """Raises Malformed."""
        text = forms.text(form, "text", _LONGEST_TEXT)
        return cls(
            text=text,
            visible_end=forms.whole(form, "visible_end", 0, len(text)),
            language=forms.optional_text(form, "language"),
            title=forms.optional_text(form, "title"),
            records=forms.listed(form, "records", Record.from_json, MOST_RECORDS),
            readings=Readings.from_json(forms.member(form, "readings")),
            truncated=forms.flag(form, "truncated"),
            needs_rendering=forms.flag(form, "needs_rendering"),
            soft_404=forms.flag(form, "soft_404"),
            gate=_gate(form),
            lines=forms.listed(form, "lines", _line, _MOST_LINES),
        )


def extract(
    markup: str | HtmlElement,
    url: str,
    plan: Plan | None,
    template: SiteEvidence | None = None,
    *,
    family: Family = "all",
    language: str | None = None,
) -> PageRecords:
    """The records of an HTML page, given as markup or as the tree that `pages.html.parse` makes
    of it, which stays as it is. Without a plan only its text.

    `family` keeps to one half of the methods: "structured" to what scripts, meta, microdata and
    RDFa state, "visible" to what the page shows. Raises PageUnreadable.
    """
    root = parse(markup) if isinstance(markup, str) else markup
    page = one(root, stated=family != "visible")
    language = language or language_of(page.text[: page.visible_end], _declared(root))
    readings, is_none, stands_before = Readings(), soft_404(root, page, url), gate(root, page, url)
    if plan is not None and not (is_none or stands_before):
        context = Context(url=base_of(root, url), language=language)
        readings = read_page(page, root, plan, context, family=family, learnt=template)
    records = assemble(plan, readings, template) if plan is not None else ()
    return PageRecords(
        text=page.text,
        visible_end=page.visible_end,
        language=language,
        title=_title(page),
        records=records,
        readings=readings,
        truncated=page.truncated,
        needs_rendering=needs_rendering(root, page, records),
        soft_404=is_none,
        gate=stands_before,
        lines=() if plan is not None else lines_of(root),
    )


def extract_text(
    text: str,
    url: str,
    plan: Plan | None,
    template: SiteEvidence | None = None,
    *,
    language: str | None = None,
) -> PageRecords:
    """The records of a document without markup, such as a PDF: by its labels and lists alone."""
    lines = text[:_LONGEST_PLAIN].split("\n")
    root = _tree_of(lines[:_MOST_PARAGRAPHS])
    found = extract(root, url, plan, template, family="visible", language=language)
    is_cut = len(text) > _LONGEST_PLAIN or len(lines) > _MOST_PARAGRAPHS
    return replace(found, truncated=found.truncated or is_cut)


def _tree_of(lines: Iterable[str]) -> HtmlElement:
    """A document with a paragraph for each line."""
    body = Element("body")
    for line in lines:
        if line.strip():
            SubElement(body, "p").text = composed(line)
    root = Element("html")
    root.append(body)
    return root


def _declared(root: HtmlElement) -> str | None:
    stated = root.get("lang") or root.get("xml:lang") or ""
    match = re.match(r"[a-z]{2,3}(?=$|[-_])", stated.strip().lower())
    return match.group() if match else None


def _title(page: OneText) -> str | None:
    title = page.named("og:title") or page.named("title")
    return " ".join(title.split())[:_LONGEST_TITLE] or None


def _gate(form: object) -> Gate | None:
    stated = forms.optional_text(form, "gate")
    if stated not in (None, *get_args(Gate)):
        raise forms.Malformed("gate")
    return cast(Gate | None, stated)


def _line(form: Any) -> tuple[str, str]:
    if not isinstance(form, list) or len(form) != 2:
        raise forms.Malformed("lines")
    place, line = (forms.text({"": item}, "", _LONGEST_LINE) for item in form)
    return place, line
