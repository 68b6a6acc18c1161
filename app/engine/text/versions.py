"""Versions of software in addresses, titles and questions."""

import math
import re
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import urlsplit

Version = tuple[float, ...]
"""Its numbers; a name such as "latest" stands for more than any number."""

_FOLDER = re.compile(
    r"(?:v|ver|version|rel|release)?[-_]?(\d{1,4}(?:[._]\d{1,4}){0,3})(?:\.x)?", re.IGNORECASE
)
_CURRENT = frozenset({"current", "latest", "stable", "main", "master", "dev", "devel", "trunk"})
_NAMED = re.compile(
    r"(?<![\w.])(?:(?:version|release|v)\.? ?(\d{1,4}(?:\.\d{1,4}){0,3})"
    r"|(\d{1,4}(?:\.\d{1,4}){1,3}))(?!\w|\.\d)",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"[\d.]+")


@lru_cache(maxsize=1_000)
def version_of_address(url: str | None) -> tuple[str, Version] | None:
    """The address with its version left out, and that version: that of its first folder that is
    one ("3.6", "v1", "release-16", "latest")."""
    if not url:
        return None
    parts = urlsplit(url)
    folders = parts.path.split("/")
    for place, folder in enumerate(folders[:-1]):
        version = _version(folder)
        if version is not None:
            rest = "/".join([*folders[:place], "*", *folders[place + 1 :]])
            return f"{parts.netloc}{rest}", version
    return None


def _version(folder: str) -> Version | None:
    if folder.lower() in _CURRENT:
        return (math.inf,)
    match = _FOLDER.fullmatch(folder)
    return _numbers(match[1]) if match else None


def _numbers(text: str) -> Version:
    return tuple(float(number) for number in re.split(r"[._]", text))


@lru_cache(maxsize=1_000)
def named(text: str) -> frozenset[Version]:
    """The versions that a text names: "3.6", "version 16", "v2"."""
    return frozenset(_numbers(a or b) for a, b in _NAMED.findall(text))


class Newest:
    """The newest versions of pages among some: pages of one address but for its version, and of one
    title but for its numbers. A number of a chapter or a year thus is hardly taken for a version.
    """

    def __init__(self, pages: Iterable[tuple[str | None, str]]) -> None:
        self._versions: dict[tuple[str, str], Version] = {}
        for url, title in pages:
            found = version_of_address(url)
            if found is not None:
                key = found[0], _without_numbers(title)
                self._versions[key] = max(found[1], self._versions.get(key, ()))

    def is_older(self, url: str | None, title: str) -> bool:
        """True if one of them is the same page of a newer version."""
        found = version_of_address(url)
        if found is None:
            return False
        return found[1] < self._versions.get((found[0], _without_numbers(title)), ())


def _without_numbers(title: str) -> str:
    return _DIGITS.sub("", title)
