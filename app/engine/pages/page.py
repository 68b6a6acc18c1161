"""The result of reading a document: the page record and the ways reading can fail."""

import hashlib
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from app.engine.pages.blocks.canonical import Heading
from app.engine.pages.main_text.blocked import Blocked


class Unreadable(Enum):
    EMPTY = "empty"
    NOT_TEXT = "not_text"
    DAMAGED = "damaged"  # it is not in the format that it says, or its file is broken
    ENCRYPTED = "encrypted"
    SCANNED = "scanned"  # pages that are pictures, or whose fonts do not say what they show
    TOO_LARGE = "too_large"  # as it came, or unpacked
    TOO_MANY_PAGES = "too_many_pages"
    UNSUPPORTED_MEDIA_TYPE = "unsupported_media_type"
    TOO_COSTLY = "too_costly"  # more time or memory than one document may take
    UNREADABLE = "unreadable"  # its reader failed in a way nobody foresaw


class PageUnreadable(Exception):
    """The document cannot be read; `reason` says why and is all the message there is."""

    def __init__(self, reason: Unreadable) -> None:
        super().__init__(reason.value)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class PublicationDate:
    """When a page says it was published.

    `at` is aware UTC. `precision` is what was really stated: second, day, month or year (the rest
    of `at` is the first of that period). `source` is json-ld, meta, time, url, front-matter, or the
    format of a file: pdf, docx, epub.
    """

    at: datetime
    precision: str
    source: str


@dataclass(frozen=True, slots=True)
class Page:
    """One document, read.

    `text` is canonical (see `canonical`); every offset anywhere counts its Unicode code points.
    `code` holds the (start, end) of verbatim listings. `language` is a BCP 47 primary subtag or
    None when unsure. `links` are absolute http(s) URLs without fragment, in document order, each
    once. `main_text_ratio` is main text / all visible text, 0..1. `contact` says whether the page
    links to who is behind it, None for documents without markup. An `outdated` page says that it is
    about an old version. `pages` are the starts of the pages that a document is printed on, see
    `page_number`; `lack` is the reason why parts of it are left out, a value of `Unreadable`.
    """

    text: str
    title: str | None = None
    headings: tuple[Heading, ...] = ()
    code: tuple[tuple[int, int], ...] = ()
    language: str | None = None
    published: PublicationDate | None = None
    author: str | None = None
    site_name: str | None = None
    canonical_url: str | None = None
    links: tuple[str, ...] = ()
    noindex: bool = False
    nofollow: bool = False
    main_text_ratio: float = 1.0
    publisher: str | None = None
    contact: bool | None = None
    blocked: Blocked | None = None
    outdated: bool = False
    pages: tuple[int, ...] = ()
    lack: str | None = None

    @property
    def content_hash(self) -> str:
        """ "sha256:" and the hexadecimal digest of the text in UTF-8."""
        return "sha256:" + hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def published_at(self) -> datetime | None:
        return self.published.at if self.published else None

    @property
    def published_precision(self) -> str | None:
        return self.published.precision if self.published else None

    @property
    def published_source(self) -> str | None:
        return self.published.source if self.published else None


def page_number(pages: Sequence[int], at: int) -> int | None:
    """The number, from 1, of the page of a document that a place of its text is on; None without
    pages. One without text has the start of the next.
    """
    return bisect_right(pages, at) or None
