"""OpenGraph and the other named values of the head."""

import re

from app.engine.extraction.methods.candidates import MOST_CANDIDATES, FieldCandidate
from app.engine.extraction.text.onetext import OneText
from app.engine.extraction.text.stated import Leaf
from app.engine.pages.facts.metadata import host_names, without_site

_PRIOR = 0.66
_TWITTER_PRIOR = 0.5
_TITLE_PRIOR = 0.45
_ADDRESS_PRIOR = 0.7
_VOCABULARY = re.compile(
    r"^(?:og|article|twitter|dc|dcterms|citation|parsely|sailthru|book|product|music|video|profile"
    r"|business|place)[:._-](?=\w)"
)
_SITE_NAMES = frozenset({"og:site_name", "application-name"})
# What names hold of another thing than their words say.
_MEANING = {
    "image_src": "image",
    "canonical": "url",
    "byl": "author",
    "twitter:creator": "twitter account",
    "twitter:site": "twitter account",
    "og:site_name": "site name",
    "og:type": "type of page",
    "twitter:card": "type of card",
    "og:locale": "language",
}


def named(page: OneText, url: str) -> list[FieldCandidate]:
    """The named values of the head, in its order; titles without the name of the site."""
    candidates: list[FieldCandidate] = []
    sites = [page.text[leaf.start : leaf.end] for name, leaf in page.meta if name in _SITE_NAMES]
    sites += host_names(url)
    for name, leaf in page.meta[:MOST_CANDIDATES]:
        plain = name
        while match := _VOCABULARY.match(plain):
            plain = plain[match.end() :]
        key = _MEANING.get(name) or plain
        prior = _PRIOR
        if name == "title":
            prior = _TITLE_PRIOR
        elif name.startswith("twitter"):
            prior = _TWITTER_PRIOR
        elif name in ("canonical", "og:url"):
            prior = _ADDRESS_PRIOR
        if plain == "title":
            leaf = _without_site(page, leaf, tuple(sites))
        candidates.append(FieldCandidate(key, (leaf,), "opengraph", prior, f"opengraph:{name}"))
    return candidates


def _without_site(page: OneText, leaf: Leaf, sites: tuple[str, ...]) -> Leaf:
    title = page.text[leaf.start : leaf.end]
    shorter = without_site(title, sites).strip()
    start = leaf.start + title.find(shorter)
    return leaf._replace(start=start, end=start + len(shorter)) if shorter else leaf
