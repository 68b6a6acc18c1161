"""OpenGraph and the other named values of the head."""

import re

from app.engine.extraction.candidates import MOST_CANDIDATES, Candidate
from app.engine.extraction.onetext import OneText

_PRIOR = 0.66
_TWITTER_PRIOR = 0.5
_TITLE_PRIOR = 0.45
_ADDRESS_PRIOR = 0.7
_VOCABULARY = re.compile(
    r"^(?:og|article|twitter|dc|dcterms|citation|parsely|sailthru|book|product|music|video|profile"
    r"|business|place)[:._-](?=\w)"
)
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


def named(page: OneText) -> list[Candidate]:
    """The named values of the head, in its order."""
    candidates: list[Candidate] = []
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
        candidates.append(Candidate(key, (leaf,), "opengraph", prior, f"opengraph:{name}"))
    return candidates
