"""Links out of a page: absolute, followable, without fragment, each once."""

import re
from urllib.parse import quote, urljoin, urlsplit, urlunsplit

import idna
from lxml.html import HtmlElement

_MOST_LINKS = 5_000
LONGEST = 2_000
"""Of an address, as it is requested: it has to fit into an index of Postgres."""
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


def base_of(root: HtmlElement, url: str) -> str:
    """The address relative links are resolved against: the first <base href>, or the page's own."""
    for element in root.iter("base"):
        if element.get("href"):
            return absolute(element.get("href") or "", url) or url
    return url


def absolute(href: str, base: str) -> str | None:
    """`href` as an absolute http(s) URL without fragment or credentials; None if it is not one.

    In ASCII, as it is requested and as servers redirect to it: one page has one address. A longer
    one than `LONGEST` is none: nobody would keep or follow it.
    """
    href = "".join(href.split("\n")).replace("\t", "").replace("\r", "").strip()
    if not href or len(href) > LONGEST:
        return None
    try:
        parts = urlsplit(urljoin(base, href))
        host, port = _ascii(parts.hostname or ""), parts.port
        path, query = _quoted(parts.path or "/"), _quoted(parts.query)
    except ValueError:
        return None
    scheme = parts.scheme.lower()
    if scheme not in ("http", "https") or not host or "@" in parts.netloc:
        return None
    host = f"[{host}]" if ":" in host else host
    if port is not None and (scheme, port) not in (("http", 80), ("https", 443)):
        host = f"{host}:{port}"
    address = urlunsplit((scheme, host, path, query, ""))
    return address if len(address) <= LONGEST else None


def _ascii(host: str) -> str:
    """A host as it is resolved (UTS 46). Raises ValueError for one that is none."""
    host = host.removesuffix(".")
    return host if host.isascii() else idna.encode(host, uts46=True).decode()


def _quoted(part: str) -> str:
    return _NOT_ASCII.sub(lambda match: quote(match[0]), part.replace(" ", "%20"))


def links_of(root: HtmlElement, base: str) -> tuple[str, ...]:
    """Links to follow in document order; those marked rel=nofollow are left out."""
    found: dict[str, None] = {}
    for anchor in root.iter("a", "area"):
        if "nofollow" in (anchor.get("rel") or "").lower().split():
            continue
        link = absolute(anchor.get("href") or "", base)
        if link is not None:
            found.setdefault(link)
            if len(found) >= _MOST_LINKS:
                break
    return tuple(found)
