"""A document as it came, and what reading makes of it: plain records."""

from dataclasses import dataclass
from typing import Any, Literal

from app.engine.extraction.records.extract import PageRecords
from app.engine.pages.main_text.blocked import Blocked
from app.engine.pages.page import Page
from app.engine.pages.passages import Passage

MOST_PASSAGES = 10_000
"""Of one page, however small its sections are: those after them are left out (`Page.lack`)."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document as it came. `url` is the address that answered, `charset` what HTTP said of it,
    `robots_tag` the X-Robots-Tag header."""

    body: bytes
    media_type: str
    charset: str | None
    url: str
    robots_tag: str | None = None


@dataclass(frozen=True, slots=True)
class ReadingScope:
    """The extent to which a document is read: its first `passages`, with or without their `terms`;
    and how much CPU time that may cost.
    """

    passages: int = MOST_PASSAGES
    terms: bool = True
    cpu_seconds: float = 10.0


EVERYTHING = ReadingScope()


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A page made ready. `terms` are those of each passage, empty when they were not wanted."""

    page: Page
    passages: tuple[Passage, ...]
    terms: tuple[list[str], ...]
    simhash: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """The extraction wanted of a page: records of `schema` (None: its text only), by the methods of
    `family`, with what was learnt of its site.
    """

    schema: dict[str, Any] | None
    template: dict[str, Any] | None = None
    family: Literal["all", "structured", "visible"] = "all"


@dataclass(frozen=True, slots=True)
class Facts:
    """The statements of a page about itself; `blocked` only in place of a text."""

    links: tuple[str, ...] = ()
    title: str | None = None
    language: str | None = None
    canonical_url: str | None = None
    noindex: bool = False
    nofollow: bool = False
    publisher: str | None = None
    blocked: Blocked | None = None


@dataclass(frozen=True, slots=True)
class ExtractedPage:
    """A page read once, for its facts and its records."""

    facts: Facts
    records: PageRecords
