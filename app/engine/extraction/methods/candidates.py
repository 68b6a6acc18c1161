"""The candidate values of a page, and their names there: the form in which all methods report."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from lxml.html import HtmlElement

from app.engine.extraction.text.onetext import OneText
from app.engine.extraction.text.stated import Leaf
from app.engine.pages.blocks.walk import name_set

MOST_CANDIDATES = 2_000  # of one method
_LONGEST_PLACE, _LONGEST_PATH = 2_000, 3_900  # a part of the value may be named behind it
NESTED = 0.92  # of the prior, for what is said of a part and not of the thing itself
# Names of parts that say nothing without that of the part: a review has a rating as well.
NAMELESS = name_set("name url image description text headline title ratingValue duration")

# What is said of a thing through another one, though that has a name: what an offer costs.
OF_THE_WHOLE = name_set("offers location jobLocation mainEntity itemReviewed itemOffered item")


@dataclass(slots=True)
class FieldCandidate:
    """Slices of the one text that `key` names: one, or those of the items of a list (`many`).

    `prior` is how often a value with just that name is right. `kind` says how keys of the method
    are compared: those of "class" are made for looks, any other for meaning. Of `prose` the length
    says nothing against it. `label` is what a reader sees beside it, where that is not the key.
    """

    key: str
    leaves: tuple[Leaf, ...]
    method: str
    prior: float
    path: str
    many: bool = False
    kind: str = "name"
    prose: bool = False
    label: str = ""

    def __post_init__(self) -> None:
        self.path = self.path[:_LONGEST_PATH]

    @property
    def said(self) -> str:
        """The words for readers that name it; "" where there are none."""
        return self.label or (self.key if self.kind == "name" else "")

    @property
    def start(self) -> int:
        return self.leaves[0].start

    @property
    def end(self) -> int:
        return self.leaves[-1].end

    @property
    def element(self) -> HtmlElement:
        return self.leaves[0].element


@dataclass(slots=True)
class Thing:
    """Something a page describes: its types, what is said of it, and the things in its lists.

    `others` are the places of the things in it that have a name of their own, as a museum in its
    city has, by the keys that lead to them.
    """

    types: tuple[str, ...] = ()
    candidates: list[FieldCandidate] = field(default_factory=list)
    lists: dict[str, list["Thing"]] = field(default_factory=dict)
    place: int = 0
    depth: int = 0
    others: dict[tuple[str, ...], set[int]] = field(default_factory=dict)

    def say(
        self,
        name: tuple[str, ...],
        leaves: tuple[Leaf, ...],
        method: str,
        prior: float,
        *,
        many: bool,
        nameless: frozenset[str] = NAMELESS,
    ) -> int:
        """Note what is said under all keys that lead to it, and under the last of them, unless that
        is nameless by itself; in how many ways."""
        path = f"{method}:{' '.join(self.types)}/{'/'.join(name)}"
        keys = [(" ".join(name), prior)]
        if len(name) > 1 and name[-1] not in nameless:  # of others known, but no value
            keys.append((name[-1], prior * NESTED * (not self._is_of_another(name))))
        self.candidates += [
            FieldCandidate(key, leaves, method, sure, path, many) for key, sure in keys
        ]
        return len(keys)

    def _is_of_another(self, name: tuple[str, ...]) -> bool:
        """True if the keys lead to a value through a thing that has a name of its own."""
        return any(name[:above] in self.others for above in range(1, len(name)))


_LEVELS = 5
_DIGITS = re.compile(r"\d+")
_NO_NAME = re.compile(r"[\d@<^]+")  # digits, and the marks that part a path
_FEW_LEVELS = 3
_LONGEST_LABEL = 40
_MARKS = {"class": ".", "link": "/", "data": "=", "tip": "="}
_STATES = name_set("odd even first last active alt current selected")


def element_path(element: HtmlElement) -> str:
    """The place of an element in pages of the same making: tags and classes, without numbers."""
    levels: list[str] = []
    above: HtmlElement | None = element
    while above is not None and len(levels) < _LEVELS:
        levels.append(f"{above.tag}{_looks(above.get('class') or '')}")
        above = above.getparent()
    return "<".join(levels)[:_LONGEST_PLACE]


@lru_cache(maxsize=10_000)
def _looks(named: str) -> str:
    names = {_NO_NAME.sub("", name) for name in named[:500].split()}
    return "".join(f".{name}" for name in sorted(names - _STATES))


def standing(page: OneText, element: HtmlElement) -> Iterator[str]:
    """The names of the place of an element, the most exact last: where it stands roughly, where
    exactly, and there by the text before it."""
    path = element_path(element)
    levels = path.split("<")
    if len(levels) > _FEW_LEVELS and any("." in level for level in levels[:_FEW_LEVELS]):
        yield "<".join((*levels[:_FEW_LEVELS], "*"))
    yield path
    if label := _label_before(page, page.places[element][0]):
        yield f"{path}^{label}"


def is_rough(place: str) -> bool:
    return place.endswith("<*")


def is_labelled(place: str) -> bool:
    return "^" in place


def _label_before(page: OneText, start: int) -> str:
    """The short text right before a place, if it may be a label: it has letters and no digit."""
    before = page.text[max(0, start - 2 * _LONGEST_LABEL) : start].rstrip()
    line = before.rpartition("\n")[2].strip(" \t:：")
    if len(line) > _LONGEST_LABEL or _DIGITS.search(line):
        return ""
    label = " ".join(line.casefold().replace("@", " ").split())
    return label if any(map(str.isalpha, label)) else ""


def of_page(
    key: str,
    leaves: tuple[Leaf, ...],
    method: str,
    prior: float,
    *,
    many: bool = False,
    kind: str = "name",
) -> FieldCandidate:
    """A candidate that the page shows, whose path is that of its first element; a class begins with
    a dot, as in CSS, the name in a link with a slash, and that of a tip with an equals sign."""
    name = _MARKS.get(kind, "") + " ".join(key.casefold().split())[:80]
    path = f"{method}:{name}@{element_path(leaves[0].element)}"
    return FieldCandidate(key, leaves, method, prior, path, many, kind)
