"""`citegrid open`: a quote or an excerpt in the stored page it was cut from."""

import hashlib
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import click

from citegrid.cli.command import Session, command, end
from citegrid.cli.exits import Exit
from citegrid.cli.terminal import line
from citegrid.client import Client
from citegrid.nouns.search.search_results import Citation, Excerpt, Result, Search, Snapshot, Source

CONTEXT_CHARACTERS = 400
FRAGMENT_WORDS = 5


@dataclass(frozen=True, slots=True)
class Passage:
    """A citation or excerpt and its page; `verified` was checked here and now."""

    cut: Citation | Excerpt
    source: Source
    before: str
    after: str
    verified: bool

    def as_json(self) -> dict[str, Any]:
        kind = "citation" if isinstance(self.cut, Citation) else "excerpt"
        return {
            kind: self.cut,
            "source": self.source,
            "before": self.before,
            "after": self.after,
            "verified": self.verified,
        }


@command("open")
@click.argument("search_id")
@click.argument("number", type=click.IntRange(1), required=False)
@click.option(
    "--context",
    default=CONTEXT_CHARACTERS,
    type=click.IntRange(0),
    show_default=True,
    help="Characters of the page to print around a quote.",
)
@click.option("--browser", is_flag=True, help="Also open the live page at the quote.")
def open_citation(
    session: Session, search_id: str, number: int | None, context: int, browser: bool
) -> None:
    """Print the quotes for marker NUMBER, or all quotes, with their stored pages.

    If the answer does not cite source NUMBER, this prints its excerpts. Each quote is compared
    with the stored page, and the page with its hash. Exits with 6 if they differ.
    """
    search = session.client.searches.get(search_id)
    passages = _passages(session.client, search, number, context)
    if not passages:
        session.terminal.problem(
            "Citation not found.",
            f"citegrid search get {search_id} --sources",
            code="citation_not_found",
        )
        end(Exit.NOT_FOUND)
    if session.terminal.as_json:
        session.terminal.json({"passages": [passage.as_json() for passage in passages]})
    for n, passage in enumerate(passages):
        if not session.terminal.as_json:
            _show(session, passage, first=n == 0)
    if browser:
        _browse(passages[0])
    end(Exit.DONE if all(passage.verified for passage in passages) else Exit.WEAK)


def _passages(client: Client, search: Search, number: int | None, context: int) -> list[Passage]:
    if search.result is None:
        return []
    wanted = _cuts(search.result, number)
    snapshots = {n: client.searches.snapshot(search.id, n) for n in {n for n, _ in wanted}}
    return [
        _passage(cut, source, snapshots[n], context)
        for n, cut in wanted
        if (source := search.result.source(n)) is not None
    ]


def _cuts(result: Result, number: int | None) -> list[tuple[int, Citation | Excerpt]]:
    """Returns what is to be shown, each with the number of its source."""
    cited: list[tuple[int, Citation | Excerpt]] = [
        (each.source, each) for each in result.citations if number in (None, each.n)
    ]
    source = result.source(number) if number is not None else None
    if cited or source is None:
        return cited
    return [(source.n, excerpt) for excerpt in source.excerpts]


def _text(cut: Citation | Excerpt) -> str:
    return cut.quote if isinstance(cut, Citation) else cut.text


def _passage(cut: Citation | Excerpt, source: Source, snapshot: Snapshot, context: int) -> Passage:
    text, start, end_ = snapshot.text, cut.start, cut.end
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    hashed = f"sha256:{digest}" == snapshot.content_hash == source.content_hash
    return Passage(
        cut,
        source,
        before=text[max(start - context, 0) : start],
        after=text[end_ : end_ + context],
        verified=hashed and text[start:end_] == _text(cut),
    )


def _show(session: Session, passage: Passage, *, first: bool) -> None:
    terminal, source, cut = session.terminal, passage.source, passage.cut
    if not first:
        terminal.text()
    terminal.text(f"[{source.n}] {line(source.title)}")
    terminal.whole(f"    {line(source.url)}")
    terminal.text()
    terminal.marked(passage.before, _text(cut), passage.after)
    checked = (
        "quote found in the stored page"
        if passage.verified
        else "page has changed: the stored page differs from the one quoted"
    )
    page = f"page {cut.page}, " if cut.page else ""
    terminal.say(f"\n{page}characters {cut.start}-{cut.end}, {checked}")


def _browse(passage: Passage) -> None:
    url = passage.source.url
    if not url.startswith(("https://", "http://")):
        raise click.ClickException("This source has no web address.")
    if click.launch(url.partition("#")[0] + fragment(passage.cut.lead)) != 0:
        raise click.ClickException("Could not start a browser.")


def fragment(quoted: str) -> str:
    """`#:~:text=` for a quote (URL Fragment Text Directives, section 3): its start and its end."""
    words = quoted.split()
    ends = [words] if len(words) <= 2 * FRAGMENT_WORDS else _ends(words)
    return "#:~:text=" + ",".join(
        quote(" ".join(each), safe="").replace("-", "%2D") for each in ends
    )


def _ends(words: list[str]) -> list[list[str]]:
    return [words[:FRAGMENT_WORDS], words[-FRAGMENT_WORDS:]]
