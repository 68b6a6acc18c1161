"""Visits: the record that a refresh writes of one look at a page."""

from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from app.core import ids
from app.domains.library.passages.prepared import PreparedPage

READ = "read"  # until it is compared with what is stored
INDEXED = "indexed"
UNCHANGED = "unchanged"
DUPLICATE = "duplicate"
NOINDEX = "noindex"
CANONICAL = "canonical"
REDIRECTED = "redirected"
READABLE = frozenset({INDEXED, UNCHANGED, DUPLICATE})
WELL = READABLE | {NOINDEX, CANONICAL, REDIRECTED}

# The page says, or the robots file says, that it is not (or no longer) to be had. After any other
# failure what was read last time stays in the index.
_WITHDRAWN = frozenset({
    DUPLICATE, NOINDEX, CANONICAL, REDIRECTED, "http_404", "http_410", "robots_disallowed",
    "unsupported_media_type", "response_too_large", "empty", "not_text", "damaged", "encrypted",
    "scanned", "too_large", "too_many_pages",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page as the last refresh left it."""

    id: UUID
    url: str
    content_hash: str | None
    etag: str | None
    last_modified: str | None
    indexed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One page, visited.

    `outcome` is READ with `prepared`, UNCHANGED, or why there is nothing to index. `links` are
    those within the corpus; None means as before. `linked_domains` are the other registrable
    domains it links to. `size` counts bytes received, of that `media_type`. After a redirect `url`
    is the address that answered. `tries` says how often the pass has requested it; 0 when another
    address led to it.
    """

    id: UUID
    url: str
    outcome: str
    fetched_at: datetime
    prepared: PreparedPage | None = None
    links: tuple[str, ...] | None = None
    linked_domains: tuple[str, ...] = ()
    etag: str | None = None
    last_modified: str | None = None
    depth: int = 0
    size: int = 0
    media_type: str = ""
    tries: int = 1

    @property
    def withdraws(self) -> bool:
        """True if what is indexed of this page has to go."""
        return self.outcome in _WITHDRAWN

    @property
    def failed(self) -> bool:
        return self.outcome not in WELL | {READ}


def without_content(
    known: KnownPage | None,
    url: str,
    outcome: str,
    links: tuple[str, ...] | None = None,
    size: int = 0,
) -> Visit:
    """The visit of a page of which there is nothing to index."""
    return Visit(
        id=known.id if known else ids.new(),
        url=url,
        outcome=outcome,
        links=links,
        fetched_at=datetime.now(UTC),
        size=size,
    )
