"""Statements of an HTML page about itself: title, author, dates, language, robots."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from urllib.parse import urlsplit

from lxml import etree
from lxml.html import HtmlElement

from app.engine.pages.blocks.structured import Node, main_node, names, nodes
from app.engine.pages.blocks.walk import inline_text
from app.engine.pages.facts.dates import date_in_path, stated_date
from app.engine.pages.facts.identity import links_to_contact, publisher_of
from app.engine.pages.facts.links import absolute
from app.engine.pages.page import PublicationDate

_SEPARATORS = " |–—·•»:/-"
_SEPARATOR = re.compile(r"\s+[|–—·•»:/-]\s+|\s*[|»]\s*")
_DATES_IN_META = (
    "article:published_time",
    "og:article:published_time",
    "datepublished",
    "date",
    "dc.date.issued",
    "dc.date.created",
    "dc.date",
    "dcterms.issued",
    "dcterms.created",
    "dcterms.date",
    "citation_publication_date",
    "citation_date",
    "pubdate",
    "publishdate",
    "publish-date",
    "publish_date",
    "parsely-pub-date",
    "sailthru.date",
    "article.published",
    "date.issued",
    "originalpublicationdate",
)
_AUTHORS_IN_META = (
    "author",
    "article:author",
    "dc.creator",
    "dcterms.creator",
    "citation_author",
    "parsely-author",
    "sailthru.author",
    "byl",
)
_TIMES = etree.XPath(
    "//*[@itemprop='datePublished']|//time[@pubdate]"
    "|//time[contains(@class,'publish') or contains(@class,'entry-date')]"
)
_DATED_PARTS = frozenset({"article", "main", "header"})
_MOST_TRIED = 50  # headings, dates and names looked at: nested markup makes each cost all inside it
_LONGEST = 300
_LONGEST_NAME = 120


@dataclass(frozen=True, slots=True)
class Metadata:
    """`meta` is the first value of each name, `node` the JSON-LD object of the document or {}."""

    title: str | None
    author: str | None
    site_name: str | None
    language: str | None
    published: PublicationDate | None
    canonical_url: str | None
    publisher: str | None
    contact: bool
    noindex: bool
    nofollow: bool
    meta: Mapping[str, str]
    node: Node


def metadata(root: HtmlElement, base: str, url: str, robots_tag: str | None) -> Metadata:
    """Read the head and the structured data of a page.

    `base` resolves relative addresses; `url` is where the page was found; `robots_tag` is the
    X-Robots-Tag header. `language` is what the page declares, unchecked.
    """
    meta = _meta(root)
    found = nodes(root)
    node = main_node(found)
    site = _line(meta.get("og:site_name") or next(iter(names(node.get("publisher"), found)), ""))
    site = site or _line(meta.get("application-name"))
    robots = _robots(meta, robots_tag)
    return Metadata(
        title=_title(root, meta, node, (site or "", *host_names(url))),
        author=_author(root, meta, names(node.get("author"), found)),
        site_name=site,
        language=_declared_language(root, meta, node),
        published=_published(root, meta, node, url),
        canonical_url=_canonical(root, base),
        publisher=publisher_of(meta, node, found),
        contact=links_to_contact(root),
        noindex=bool(robots & {"noindex", "none"}),
        nofollow=bool(robots & {"nofollow", "none"}),
        meta=meta,
        node=node,
    )


def _meta(root: HtmlElement) -> dict[str, str]:
    """The first value of each name; a page cannot be trusted to say a thing only once."""
    values: dict[str, str] = {}
    for element in root.iter("meta"):
        name = element.get("property") or element.get("name") or element.get("itemprop")
        content = (element.get("content") or "").strip()
        if name and content:
            values.setdefault(name.strip().lower(), content)
    return values


def _title(
    root: HtmlElement, meta: dict[str, str], node: Node, sites: tuple[str, ...]
) -> str | None:
    headline = node.get("headline")
    if isinstance(headline, str) and (line := _line(headline)):
        return line
    tried = (inline_text(h1).rstrip("¶# ") for h1 in islice(root.iter("h1"), _MOST_TRIED))
    headings = list(islice(filter(None, tried), 5))
    written = _line(next((title.text or "" for title in root.iter("title")), ""))
    whole = _line(meta.get("og:title") or meta.get("twitter:title")) or written
    if whole is None:
        return _line(next(iter(headings), ""))
    for heading in headings:
        if whole.lower().startswith(heading.lower()):
            return _line(heading)
    return without_site(whole, (*sites, *headings))


def without_site(title: str, sites: tuple[str, ...]) -> str:
    """`title` without the name of the site after, or before, a separator."""
    parts = _SEPARATOR.split(title)
    known = {_squeezed(site) for site in sites}
    if len(parts) > 1 and _squeezed(parts[-1]) in known:
        return title[: -len(parts[-1])].rstrip(_SEPARATORS)
    if len(parts) > 1 and _squeezed(parts[0]) in known:
        return title[len(parts[0]) :].lstrip(_SEPARATORS)
    return title


def _squeezed(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).lower()


def host_names(url: str) -> tuple[str, ...]:
    """The names a site may have by its address: forums.example.com is Example, Example Forums."""
    labels = (urlsplit(url).hostname or "").removeprefix("www.").split(".")
    name = labels[-2] if len(labels) > 1 else labels[0]
    return (".".join(labels), ".".join(labels[-2:]), name, *(name + label for label in labels[:-2]))


def _author(root: HtmlElement, meta: dict[str, str], stated: list[str]) -> str | None:
    candidates = [", ".join(stated[:10])]
    candidates += [meta.get(name, "") for name in _AUTHORS_IN_META]
    candidates += [inline_text(element) for element in islice(_author_elements(root), 3)]
    for candidate in candidates:
        line = _line(re.sub(r"^(?:by|von|par|por)\s+", "", candidate.strip(), flags=re.IGNORECASE))
        if line and "://" not in line and len(line) <= _LONGEST_NAME:
            return line
    return None


def _published(
    root: HtmlElement, meta: dict[str, str], node: Node, url: str
) -> PublicationDate | None:
    for source, text in _date_texts(root, meta, node):
        if dated := stated_date(text):
            return PublicationDate(dated.at, dated.precision, source)
    dated = date_in_path(urlsplit(url).path)
    return PublicationDate(dated.at, dated.precision, "url") if dated else None


def _date_texts(root: HtmlElement, meta: dict[str, str], node: Node) -> Iterator[tuple[str, str]]:
    for key in ("datePublished", "dateCreated", "uploadDate"):
        if isinstance(value := node.get(key), str):
            yield "json-ld", value
    for name in _DATES_IN_META:
        if name in meta:
            yield "meta", meta[name]
    for element in (_elements(_TIMES(root)) or list(_any_time(root)))[:1]:
        yield "time", element.get("datetime") or element.get("content") or inline_text(element)


def _any_time(root: HtmlElement) -> Iterator[HtmlElement]:
    """The first date in what is, or heads, the text."""
    for element in islice(root.iter("time"), _MOST_TRIED):
        above = {ancestor.tag for ancestor in element.iterancestors()}
        if element.get("datetime") and not _DATED_PARTS.isdisjoint(above):
            yield element
            return


def _author_elements(root: HtmlElement) -> Iterator[HtmlElement]:
    """Names in what is marked up as the author, the whole of it, and links to the author."""
    for element in islice(_marked_authors(root), _MOST_TRIED):
        inside = islice(element.iter(), 1, 1_000)
        yield from islice((e for e in inside if e.get("itemprop") == "name"), 1)
        yield element


def _marked_authors(root: HtmlElement) -> Iterator[HtmlElement]:
    for element in root.iter(etree.Element):
        link = element.tag == "a" and element.get("rel") == "author"
        if link or element.get("itemprop") == "author":
            yield element


def _declared_language(root: HtmlElement, meta: dict[str, str], node: Node) -> str | None:
    stated = (
        root.get("lang")
        or root.get("{http://www.w3.org/XML/1998/namespace}lang")
        or root.get("xml:lang")
        or meta.get("og:locale")
        or meta.get("content-language")
    )
    if not stated and isinstance(node.get("inLanguage"), str):
        stated = node["inLanguage"]
    match = re.match(r"[a-z]{2,3}(?=$|[-_])", (stated or "").strip().lower())
    return match.group() if match else None


def _canonical(root: HtmlElement, base: str) -> str | None:
    for link in root.iter("link"):
        if "canonical" in (link.get("rel") or "").lower().split():
            return absolute(link.get("href") or "", base)
    return None


def _robots(meta: dict[str, str], robots_tag: str | None) -> set[str]:
    """Directives for every robot; those in the header that name another robot are not for us."""
    directives = set(re.split(r"[,\s]+", meta.get("robots", "").lower()))
    for part in (robots_tag or "").lower().split(","):
        if ":" not in part:
            directives.add(part.strip())
    return directives


def _elements(result: object) -> list[HtmlElement]:
    return list(result) if isinstance(result, list) else []


def _line(text: str | None) -> str | None:
    line = " ".join((text or "").split())[:_LONGEST].strip()
    return line or None
