"""The addresses that belong to a site that is crawled: one origin, and patterns over the path."""

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

from app.engine.pages.facts.links import LONGEST, absolute

_GLOB = frozenset("*?[")
# What is never a document that can be read: not worth a request.
_FILES = (
    ".7z", ".avi", ".bin", ".bmp", ".bz2", ".css", ".deb", ".dmg", ".doc", ".eot",
    ".exe", ".gif", ".gz", ".ico", ".iso", ".jar", ".jpeg", ".jpg", ".js", ".map", ".mov",
    ".mp3", ".mp4", ".odt", ".ogg", ".png", ".ppt", ".pptx", ".rar", ".rpm", ".svg", ".tar",
    ".tgz", ".tif", ".tiff", ".ttf", ".wav", ".webm", ".webp", ".whl", ".woff", ".woff2", ".xls",
    ".xlsx", ".xz", ".zip",
)  # fmt: skip
# What generators of manuals put beside their pages: the markup these were made from, and parts.
_COPIES = frozenset(("_sources", "_static"))
_MOST_SEGMENTS = 30


@dataclass(frozen=True, slots=True)
class Scope:
    """Pages of one origin whose path the patterns let through."""

    origin: str
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    @classmethod
    def of(cls, url: str, include: tuple[str, ...] = (), exclude: tuple[str, ...] = ()) -> "Scope":
        """The scope of a crawl that begins at `url`. Patterns are path prefixes ("/docs/") or, with
        *, ? or [, globs over the whole path."""
        return cls(origin_of(absolute(url, "") or url), include, exclude)

    def address(self, url: str) -> str | None:
        """The canonical form of `url` when it is in scope, else None."""
        canonical = absolute(url, "")
        if canonical is None or origin_of(canonical) != self.origin:
            return None
        if not storable(canonical):
            return None
        path = urlsplit(canonical).path
        if path.lower().endswith(_FILES) or path.count("/") > _MOST_SEGMENTS:
            return None
        return canonical if admits(path, self.include, self.exclude) else None

    def addresses(self, urls: Iterable[str]) -> tuple[str, ...]:
        """Returns the addresses in scope in canonical form, each once, in the same order."""
        return tuple(dict.fromkeys(x for x in map(self.address, urls) if x is not None))


def storable(url: str) -> bool:
    """True if an address is short and holds no control character or half a character."""
    return url.isprintable() and len(url.encode()) <= LONGEST


def origin_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def admits(path: str, include: tuple[str, ...], exclude: tuple[str, ...]) -> bool:
    """True if some include pattern matches (or there is none) and no exclude pattern does.

    Folders that hold the markup of a manual's pages are left out unless a pattern names them.
    """
    copies = _COPIES.intersection(path.split("/"))
    if any(not any(name in pattern for pattern in include) for name in copies):
        return False
    if include and not any(_matches(path, pattern) for pattern in include):
        return False
    return not any(_matches(path, pattern) for pattern in exclude)


def _matches(path: str, pattern: str) -> bool:
    if _GLOB & set(pattern):
        return fnmatchcase(path, pattern)
    return path.startswith(pattern)
