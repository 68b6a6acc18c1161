"""Pages with their true records: recipes of many sites, SWDE's pages of one site each.

A host belongs to one half, "fit" (looked at while rules were made) or "judged", by a hash of its
name.
"""

import html
import json
import re
import tarfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import md5
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
RECIPES, SWDE, WCXB = (DATA / f"{name}.tar.xz" for name in ("recipes", "swde", "wcxb"))

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_MINUTES = {"type": "integer", "description": "in minutes"}
RECIPE: dict[str, Any] = {
    "title": "Recipe",
    "type": "object",
    "properties": {
        "title": _TEXT,
        "author": _TEXT,
        "ingredients": _TEXTS,
        "instructions": _TEXTS,
        "yields": _TEXT,
        "total_time": _MINUTES,
        "prep_time": _MINUTES,
        "cook_time": _MINUTES,
        "ratings": {"type": "number"},
        "ratings_count": {"type": "integer"},
        "image": {"type": "string", "format": "uri"},
        "description": _TEXT,
        "category": _TEXT,
        "cuisine": _TEXT,
        "keywords": _TEXTS,
    },
    "required": ["title"],
}
_VERTICALS = {
    "auto": ("Car", ("model", "price", "engine", "fuel_economy")),
    "book": ("Book", ("title", "author", "isbn_13", "publisher", "publication_date")),
    "camera": ("Camera", ("model", "price", "manufacturer")),
    "job": ("JobPosting", ("title", "company", "location", "date_posted")),
    "movie": ("Movie", ("title", "director", "genre", "mpaa_rating")),
    "nbaplayer": ("Player", ("name", "team", "height", "weight")),
    "restaurant": ("Restaurant", ("name", "address", "cuisine", "phone")),
    "university": ("University", ("name", "phone", "website", "type")),
}
_ANNOTATION = re.compile(
    r"\s(?:itemprop|itemscope|itemtype|itemref|itemid|property|typeof|vocab|about|resource)"
    r"(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s>]+))?(?=[\s/>])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Page:
    """A page with its true values by field; a field that is absent is not judged."""

    site: str
    url: str
    markup: str
    truth: dict[str, Any]


def half(site: str) -> str:
    digest = md5(site.encode(), usedforsecurity=False).digest()
    return "fit" if digest[0] % 2 else "judged"


def recipes() -> list[Page]:
    pages = []
    files = dict(_files(RECIPES))
    for name in sorted(files):
        if not name.endswith(".json"):
            continue
        known = json.loads(files[name])
        known["instructions"] = known.get("instructions_list")
        truth = {each: known.get(each) for each in RECIPE["properties"]}
        url = known.get("canonical_url") or f"https://{known['host']}/"
        markup = _decoded(files[f"{name[:-5]}.html"])
        pages.append(Page(known["host"], url, markup, _stated(truth)))
    return pages


def wcxb() -> Iterator[tuple[str, Page]]:
    """Pages with the kind that each is of: an article, a product, a list of things and so on."""
    files = dict(_files(WCXB))
    for name in sorted(files):
        if not name.endswith(".json"):
            continue
        known = json.loads(files[name])
        stated = known["ground_truth"]
        truth = {
            "title": stated.get("title"),
            "author": stated.get("author"),
            "published_at": stated.get("publish_date"),
        }
        markup = _decoded(files[name.replace("ground-truth/", "html/")[:-5] + ".html"])
        url = known.get("url") or "https://example.org/"
        site = urlsplit(url).hostname or ""
        page = Page(site, url, markup, _stated(truth))
        kind = known.get("_internal", {}).get("page_type", {}).get("primary", "page")
        yield kind, page


def swde() -> dict[str, list[Page]]:
    """The pages by site. Several true values of a field are variants: any of them is right."""
    files = dict(_files(SWDE))
    truths: dict[tuple[str, str], dict[str, Any]] = defaultdict(dict)
    for name, body in files.items():
        if "groundtruth/" in name:
            site, _, field = name.rpartition("/")[2][:-4].rpartition("-")
            for number, *values in _rows(body):
                if values:
                    truths[site, number][field] = values
    sites: dict[str, list[Page]] = defaultdict(list)
    for name in sorted(files):
        if name.endswith(".htm"):
            site, number = name.split("/")[-2:]
            url = f"http://www.{site.split('-')[1]}.com/{number}"
            truth = truths[site, number[:4]]
            sites[site].append(Page(site, url, _decoded(files[name]), truth))
    return dict(sites)


def swde_schema(site: str) -> dict[str, Any]:
    title, names = _VERTICALS[site.split("-")[0]]
    return {"title": title, "type": "object", "properties": dict.fromkeys(names, _TEXT)}


def without_structure(markup: str) -> str:
    """The page without scripts, meta and the attributes of microdata and RDFa."""
    markup = re.sub(r"(?is)<script\b.*?(?:</script\s*>|$)", " ", markup)
    markup = re.sub(r"(?i)<meta\b[^>]*>", " ", markup)
    return re.sub(r"<[a-zA-Z][^<>]*>", lambda tag: _ANNOTATION.sub("", tag[0]), markup)


def _files(archive: Path) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(archive) as opened:
        for member in opened:
            if member.isfile() and (file := opened.extractfile(member)):
                yield member.name, file.read()


def _decoded(body: bytes) -> str:
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return body.decode("cp1252", "replace")


def _rows(body: bytes) -> Iterator[list[str]]:
    for line in body.decode("utf-8-sig").splitlines()[2:]:
        number, count, *values = line.split("\t")
        if count != "0":
            yield [number, *(html.unescape(value) for value in values if value)]


def _stated(truth: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in truth.items() if value not in (None, "", [], {})}
