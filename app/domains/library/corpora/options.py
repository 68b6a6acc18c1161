"""Options of a corpus as its operator gives them, checked."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from app.core.errors import Invalid
from app.engine.pages.facts.links import absolute

KINDS = ("site", "sitemap", "folder")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
_BASE_URL = re.compile(r"[a-z][a-z0-9+.-]*://[^\s?#]+")
_MOST_PATTERNS = 100


class InvalidCorpus(Invalid):
    """The corpus is invalid; `details` names each field."""

    code = "invalid_corpus"


@dataclass(frozen=True, slots=True)
class Options:
    """Limits and scope of one corpus.

    `include` and `exclude` are path prefixes ("/docs/") or, with *, ? or [, globs over the whole
    path ("*/api/*"); of a folder, over the path below it. Depth counts links from the start page.
    `base_url` is where the files of a folder are published.
    """

    max_pages: int = 2_000
    max_depth: int = 20
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    base_url: str | None = None


def check_name(name: str) -> str:
    """Raises InvalidCorpus."""
    if not _NAME.fullmatch(name):
        raise _invalid("name", "Must be lower-case letters, digits and hyphens, at most 63")
    return name


def check_location(kind: str, location: str) -> str:
    """The location in its canonical form. Raises InvalidCorpus."""
    if kind not in KINDS:
        raise _invalid("kind", f"Must be one of {', '.join(KINDS)}")
    if kind == "folder":
        if not Path(location).is_absolute():
            raise _invalid("location", "Must be the absolute path of a folder")
        if not (os.path.isdir(location) and os.access(location, os.R_OK | os.X_OK)):
            raise _invalid("location", f"There is no folder {location} that can be read here")
        return str(Path(location))
    url = absolute(location, "")
    if url is None:
        raise _invalid("location", "Must be an http or https URL")
    return url


def read_options(given: Mapping[str, Any]) -> Options:
    """Raises InvalidCorpus for an unknown option or a value out of bounds."""
    unknown = set(given) - {spec.name for spec in fields(Options)}
    if unknown:
        raise _invalid(min(unknown), "Is not an option")
    options = Options(
        max_pages=_whole(given, "max_pages", 2_000, 1, 100_000),
        max_depth=_whole(given, "max_depth", 20, 0, 100),
        include=_patterns(given, "include"),
        exclude=_patterns(given, "exclude"),
        base_url=given.get("base_url"),
    )
    if options.base_url is not None:
        _check_base_url(options.base_url)
    return options


def check_interval(seconds: int | None) -> None:
    """Raises InvalidCorpus."""
    if seconds is not None and not 60 <= seconds <= 366 * 86_400:
        raise _invalid("refresh_every", "Must be from one minute to a year")


def _whole(given: Mapping[str, Any], name: str, default: int, least: int, most: int) -> int:
    value = given.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise _invalid(name, f"Must be a whole number from {least} to {most}")
    return value


def _patterns(given: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = given.get(name, ())
    if not isinstance(value, list | tuple) or len(value) > _MOST_PATTERNS:
        raise _invalid(name, f"Must be a list of at most {_MOST_PATTERNS} patterns")
    if not all(isinstance(x, str) and 0 < len(x) <= 500 for x in value):
        raise _invalid(name, "Must hold path prefixes or globs")
    return tuple(value)


def _check_base_url(base_url: object) -> None:
    if not isinstance(base_url, str) or not _BASE_URL.fullmatch(base_url):
        raise _invalid("base_url", "Must be a URL without query")
    if urlsplit(base_url).username is not None:
        raise _invalid("base_url", "Must not hold credentials")


def _invalid(field: str, problem: str) -> InvalidCorpus:
    return InvalidCorpus.at(f"/{field}", problem)
