"""Read Markdown (CommonMark with tables); front matter gives title, author, date and language.

Of what generators of documentation and notebooks add to it these are known: definition lists,
footnotes, attributes, boxes, tabs, links between notes, and calls of templates.
"""

import re
from collections.abc import Iterator
from html import escape

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from mdit_py_plugins.attrs import attrs_plugin
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin

from app.engine.pages.blocks.canonical import lay_out
from app.engine.pages.blocks.walk import blocks_of
from app.engine.pages.facts.dates import stated_date
from app.engine.pages.facts.language import language_of
from app.engine.pages.facts.links import links_of
from app.engine.pages.formats.html import parse
from app.engine.pages.page import Page, PageUnreadable, PublicationDate, Unreadable
from app.engine.text.scripts import primary_language

_FRONT = re.compile(
    r"\A(?:---|\+\+\+)[ \t]*\n(.{0,20000}?)\n(?:---|\+\+\+|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL
)
_DEEPEST = 100  # a level of a list is two or three; what is deeper would be left out
_FENCE = re.compile(r" *(`{3,}(?!.*`)|~{3,})")
# A box or tab of MkDocs, with what is indented below it; one of Docusaurus, VitePress or MyST,
# which ends with a line of colons; one of GitHub, in a quotation.
_INDENTED_BOX = re.compile(
    r"(?:!!!|\?\?\?\+?|===[!+]?) ?(?=[\w\"])"
    r"([\w-]*+)(?: inline(?: end)?|(?: [\w-]+)*+ ?\"(.*)\")?\s*"
)
_FENCED_BOX = re.compile(r":{3,}\s*\{?\.?([\w-]*)\}?\s*(.*)")
_QUOTED_BOX = re.compile(r"(> ?)\[!([\w-]+)\][+-]?\s*(.*)")
_LISTED = re.compile(r"(?:[-*+]|\d{1,9}[.)])\s")
_BODY = 4  # columns by which the text of a box is indented
_HEADING_ID = re.compile(r"\{:? ?[#.][^{}]*\}")
# A call of a template that has a line for itself (Hugo, Jinja), whose text follows or is elsewhere.
_CALL = re.compile(r"\{\{[<%].*[%>]\}\}\s*|\{%.*%\}\s*")
_NOTE_LINK = re.compile(r"(?<!\w)(!?)\[\[(\w[^\[\]|\n]{0,200})(?:\|([^\[\]|\n]{1,200}))?\]\]")
# A value that stands on its own line: not one in the lines below, folded or listed.
_FIELD = re.compile(
    r"^([A-Za-z_-]{1,40})[ \t]*[:=][ \t]*(?![|>][-+1-9]*[ \t]*$)(\S.*)$", re.MULTILINE
)


def read_markdown(source: str, url: str) -> Page:
    """The page in `source`. Raises PageUnreadable(EMPTY) when nothing but markup is there."""
    fields, body = _split_front_matter(source)
    root = parse(_rendered(body))
    layout = lay_out(blocks_of(root))
    if not layout.text:
        raise PageUnreadable(Unreadable.EMPTY)
    top = min(layout.headings, key=lambda heading: (heading.level, heading.start), default=None)
    dated = stated_date(fields.get("date", ""))
    stated = fields.get("lang") or fields.get("language")
    return Page(
        text=layout.text,
        title=fields.get("title") or (top.text if top else None),
        headings=layout.headings,
        code=layout.code,
        language=language_of(layout.text, primary_language(stated) or None),
        published=PublicationDate(dated.at, dated.precision, "front-matter") if dated else None,
        author=fields.get("author"),
        links=links_of(root, url),
    )


def as_markup(source: str) -> str:
    """The same as HTML that states what its front matter does. Raises PageUnreadable(EMPTY)."""
    fields, body = _split_front_matter(source)
    language = escape(fields.get("lang") or fields.get("language") or "")
    title = f"<title>{escape(fields['title'])}</title>" if "title" in fields else ""
    metas = "".join(
        f'<meta name="{name}" content="{escape(fields[name])}">'
        for name in ("author", "date")
        if name in fields
    )
    return (
        f'<html lang="{language}"><head>{title}{metas}</head><body>{_rendered(body)}</body></html>'
    )


def _rendered(body: str) -> str:
    rendered: str = _parser().render("\n".join(_plain(body)))
    if not rendered.strip():
        raise PageUnreadable(Unreadable.EMPTY)
    return rendered


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable(["table", "strikethrough"])
    parser.use(deflist_plugin).use(footnote_plugin, inline=False).use(attrs_plugin)
    parser.inline.ruler.before("link", "link_of_notes", _link_of_notes)
    return parser


def _link_of_notes(state: StateInline, silent: bool) -> bool:
    """Takes a link between notes, "[[target|text]]", as its text; "![[target]]" has none."""
    link = _NOTE_LINK.match(state.src, state.pos)
    if link is None:
        return False
    if not silent and not link[1]:
        state.push("text", "", 0).content = link[3] or link[2]
    state.pos = link.end()
    return True


def _plain(body: str) -> Iterator[str]:
    """The lines of `body` in CommonMark: the name of a box or tab is a paragraph above its text."""
    boxes: list[int] = []  # the columns where those begin that are open
    fence, listed = "", False
    for whole in body.split("\n"):
        whole = whole.expandtabs(_BODY) if boxes else whole
        text = whole.lstrip(" ")
        column = len(whole) - len(text)
        while text and not fence and boxes and column < boxes[-1] + _BODY:
            boxes.pop()
        line = whole[min(column, _BODY * len(boxes)) :]
        indent = line[: len(line) - len(text)]
        if text and not fence and not indent:
            listed = bool(_LISTED.match(text))
        mark = _FENCE.match(line)
        verbatim = bool(fence or mark) or (len(indent) >= _BODY and not listed)
        if mark:
            fence = "" if fence and text.startswith(fence) else fence or mark[1]
        if verbatim:
            yield line
        elif _CALL.fullmatch(text):
            yield ""
        elif named := _named(text):
            yield from (indent + each for each in named)
            boxes += [column] * bool(_INDENTED_BOX.fullmatch(text))
        else:
            yield _without_id(line)


def _named(text: str) -> list[str]:
    """The lines that name a box or tab, in place of the one that marks it; none for others."""
    if box := _QUOTED_BOX.fullmatch(text):
        return [box[1] + (box[3] or box[2].capitalize()), ">"]
    box = _INDENTED_BOX.fullmatch(text) or _FENCED_BOX.fullmatch(text)
    return ["", (box[2] or "").strip("[]") or box[1].capitalize(), ""] if box else []


def _without_id(line: str) -> str:
    """A heading without its id, "## Install {#install}"."""
    at = line.rfind("{") if line.startswith("#") else -1
    return line[:at] if at > 0 and _HEADING_ID.fullmatch(line[at:].strip()) else line


def _split_front_matter(source: str) -> tuple[dict[str, str], str]:
    """Simple `key: value` fields, lower case; nested values are of no use here."""
    source = re.sub(r"\r\n?", "\n", source)
    match = _FRONT.match(source)
    if match is None:
        return {}, source
    fields = {
        name.lower(): value.strip().strip("\"'").strip() for name, value in _FIELD.findall(match[1])
    }
    if not fields:  # two rules, and what stands between them
        return {}, source
    return {name: value for name, value in fields.items() if value}, source[match.end() :]
