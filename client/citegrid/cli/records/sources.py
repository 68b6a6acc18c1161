"""The choice of pages and records: the options that `extract` and `monitor add` share."""

import functools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.argument("urls", metavar="[URL]...", nargs=-1),
    click.option("--crawl", is_flag=True, help="Crawl a site from the URL."),
    click.option(
        "--max-depth", type=click.IntRange(0, 20), help="Link depth for --crawl. Default: 3."
    ),
    click.option(
        "--include",
        multiple=True,
        metavar="PATH",
        help="Paths to crawl, such as /docs/. Repeatable.",
    ),
    click.option(
        "--exclude",
        multiple=True,
        metavar="PATH",
        help="Paths to skip, such as /blog/. Repeatable.",
    ),
    click.option("--sitemap", is_flag=True, help="Read the pages of the sitemap at URL."),
    click.option("--search", metavar="QUERY", help="Read the results of a search."),
    click.option("--max-pages", type=click.IntRange(1), help="Page limit. Default: 1,000."),
    click.option("--deadline", metavar="30m", help="Time limit. Default: 1h."),
    click.option(
        "--metadata",
        multiple=True,
        metavar="NAME=VALUE",
        help="Data to store with the job. Repeatable.",
    ),
)


def source_options(function: Callable[..., None]) -> Callable[..., None]:
    """Replaces the options by `source`, and by those of the rest that were given."""

    @functools.wraps(function)
    def wrapped(
        *args: Any,
        urls: tuple[str, ...],
        crawl: bool,
        max_depth: int | None,
        include: tuple[str, ...],
        exclude: tuple[str, ...],
        sitemap: bool,
        search: str | None,
        metadata: tuple[str, ...],
        **rest: Any,
    ) -> None:
        given = {"max_depth": max_depth, "include": [*include], "exclude": [*exclude]}
        limits = {name: value for name, value in given.items() if value not in (None, [])}
        if limits and not crawl:
            raise click.UsageError(f"--{next(iter(limits)).replace('_', '-')} requires --crawl.")
        source = _source(_addresses(urls), crawl=crawl, sitemap=sitemap, search=search)
        if metadata:
            rest["metadata"] = _pairs(metadata)
        function(*args, source={**source, **limits}, **rest)

    decorated: Callable[..., None] = wrapped
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def _addresses(urls: tuple[str, ...]) -> list[str]:
    """As they stand, or for `-` those of stdin, one a line."""
    return sys.stdin.read().split() if urls == ("-",) else list(urls)


def _source(urls: list[str], *, crawl: bool, sitemap: bool, search: str | None) -> dict[str, Any]:
    if crawl + sitemap + (search is not None) > 1:
        raise click.UsageError("Use only one of --crawl, --sitemap and --search.")
    if search is not None:
        if urls:
            raise click.UsageError("--search does not accept a URL.")
        return {"type": "search", "query": search}
    if not urls:
        raise click.UsageError("Give a URL or --search.")
    if crawl or sitemap:
        if len(urls) > 1:
            raise click.UsageError("--crawl and --sitemap accept only one URL.")
        return {"type": "crawl" if crawl else "sitemap", "url": urls[0]}
    return {"type": "url", "url": urls[0]} if len(urls) == 1 else {"type": "urls", "urls": urls}


def _pairs(texts: tuple[str, ...]) -> dict[str, str]:
    pairs = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise click.UsageError("--metadata must be NAME=VALUE.")
        pairs[name] = value
    return pairs


class JsonFile(click.Path):
    name = "file"

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = Path(str(super().convert(value, param, ctx)))
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            self.fail(f"{path} is not valid JSON in UTF-8.", param, ctx)
        return value
