"""Questions to try: from the headings of what is indexed, so that its pages can answer them."""

import re
from collections.abc import Iterable
from itertools import chain
from typing import Final
from uuid import UUID

from app.core.db import Reader
from app.core.db.costly import Costly
from app.domains.library.passages import store
from app.domains.library.passages.store import SectionTitles

SHOWN: Final = 3
_SAMPLE: Final = 600
"""Passages whose headings are looked at."""
_LEAST_WORDS, _MOST_WORDS, _MOST_CHARACTERS = 2, 12, 90
_TOPIC_WORDS: Final = 5
_HOW_TO: Final = re.compile(r"how to (?=[a-z]+ )", re.IGNORECASE)
# "What leaves your server" asks; "What callers see" only names, and "What is not covered" refers.
_WHAT: Final = re.compile(
    r"what (?:(?:is|are|was|were|happens|changed) (?!not )\S+"
    r"|[a-z]+s (?:my|the|an?|each|every|when|if)) .*",
    re.IGNORECASE,
)
_IMPERATIVE: Final = re.compile(
    r"(?:add|ask|build|change|check|configure|connect|create|delete|deploy|disable|enable|export|"
    r"import|index|install|keep|remove|restore|run|scale|set up|start|stop|test|update|upgrade|use|"
    r"verify|watch|write) .*",
    re.IGNORECASE,
)
_TOPIC: Final = re.compile(
    r"(?!(?:how|what|when|where|which|who|why|if|in|on|at|for|from|to|with|an?) )[^\W\d_][\w' -]*",
    re.IGNORECASE,
)
_REFERS: Final = re.compile(r"\b(?:it|its|they|them|this|that|these|those|our|we)\b", re.IGNORECASE)
_OF_THE_READER: Final = re.compile(r"\byour\b", re.IGNORECASE)

Question = tuple[int, int, str]
"""How surely it is one, 0 for what asks already; the words it has, negative; and its text."""


_titles: Final = Costly[list[SectionTitles]]()
"""Where accounts have a million passages before the first one of the operator's."""


def example_questions(reader: Reader, account_ids: Iterable[UUID | None]) -> list[str]:
    """At most three; `account_ids` says whose passages are looked at, None for the operator's."""
    return questions_of(chain.from_iterable(_sampled(reader, id) for id in account_ids))


def _sampled(reader: Reader, account_id: UUID | None) -> list[SectionTitles]:
    return _titles.of(account_id, lambda: store.section_titles(reader, account_id, _SAMPLE))


def questions_of(sampled: Iterable[SectionTitles]) -> list[str]:
    """At most three, of different pages."""
    best: dict[UUID, Question] = {}
    for titles in sampled:
        found = _best(titles)
        if found is not None:
            best[titles.source_id] = min(found, best.get(titles.source_id, found))
    questions = sorted(best.values(), key=lambda found: found[:2])
    return list(dict.fromkeys(text for _, _, text in questions))[:SHOWN]


def _best(titles: SectionTitles) -> Question | None:
    asked = [_section(titles.headings[-1]), _page(titles.headings[0])]
    return min((question for question in asked if question is not None), default=None)


def _section(heading: str) -> Question | None:
    text = _plain(heading)
    if not _LEAST_WORDS < len(text.split()) <= _MOST_WORDS or len(text) > _MOST_CHARACTERS:
        return None
    if _REFERS.search(text):  # to what another heading names
        return None
    own, words = _OF_THE_READER.sub("my", text), -len(text.split())
    if text.endswith("?"):
        return 0, words, text
    if _HOW_TO.match(own):
        return 1, words, f"How do I {_HOW_TO.sub('', own, count=1)}?"
    if _WHAT.fullmatch(own):
        return 1, words, f"{own}?"
    if _IMPERATIVE.fullmatch(own):
        return 1, words, f"How do I {own[0].lower()}{own[1:]}?"
    return None


def _page(title: str) -> Question | None:
    """The question that a page with this title answers: if need be, what it says of its topic."""
    if (question := _section(title)) is not None:
        rank, words, asked = question
        return rank + 1, words, asked  # a title promises more than one passage holds
    text = _plain(title)
    if not _TOPIC.fullmatch(text) or len(text.split()) > _TOPIC_WORDS or _REFERS.search(text):
        return None
    return 3, -len(text.split()), f"What is said about {text}?"


def _plain(heading: str) -> str:
    return " ".join(heading.replace("`", "").split()).rstrip(" .:")
