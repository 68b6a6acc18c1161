"""Read Markdown (CommonMark with tables); front matter gives title, author, date and language."""

import re

from markdown_it import MarkdownIt

from app.engine.pages.blocks.canonical import lay_out
from app.engine.pages.blocks.walk import blocks_of
from app.engine.pages.facts.dates import stated_date
from app.engine.pages.facts.language import language_of
from app.engine.pages.facts.links import links_of
from app.engine.pages.formats.html import parse
from app.engine.pages.page import Page, PageUnreadable, PublicationDate, Unreadable

_FRONT = re.compile(
    r"\A(?:---|\+\+\+)[ \t]*\n(.{0,20000}?)\n(?:---|\+\+\+|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL
)
_DEEPEST = 100  # a level of a list is two or three; what is deeper would be left out
_FIELD = re.compile(r"^([A-Za-z_-]{1,40})\s*[:=]\s*(\S.*)$", re.MULTILINE)


def read_markdown(source: str, url: str) -> Page:
    """The page in `source`. Raises PageUnreadable(EMPTY) when nothing but markup is there."""
    source = re.sub(r"\r\n?", "\n", source)
    fields, body = _split_front_matter(source)
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST})
    rendered = parser.enable(["table", "strikethrough"]).render(body)
    if not rendered.strip():
        raise PageUnreadable(Unreadable.EMPTY)
    root = parse(rendered)
    layout = lay_out(blocks_of(root))
    if not layout.text:
        raise PageUnreadable(Unreadable.EMPTY)
    top = min(layout.headings, key=lambda heading: (heading.level, heading.start), default=None)
    dated = stated_date(fields.get("date", ""))
    return Page(
        text=layout.text,
        title=fields.get("title") or (top.text if top else None),
        headings=layout.headings,
        code=layout.code,
        language=language_of(layout.text, fields.get("lang") or fields.get("language")),
        published=PublicationDate(dated.at, dated.precision, "front-matter") if dated else None,
        author=fields.get("author"),
        links=links_of(root, url),
    )


def _split_front_matter(source: str) -> tuple[dict[str, str], str]:
    """Simple `key: value` fields, lower case; nested values are of no use here."""
    match = _FRONT.match(source)
    if match is None:
        return {}, source
    fields = {
        name.lower(): value.strip().strip("\"'").strip() for name, value in _FIELD.findall(match[1])
    }
    if not fields:  # two rules, and what stands between them
        return {}, source
    return {name: value for name, value in fields.items() if value}, source[match.end() :]
