"""The code blocks of the documents: which are run, and why the others are not.

Indented blocks and ```sh are for a shell, ```python for Python; both are run as they stand. Blocks
in other languages are shown. `<!-- not run: REASON -->` above a block says why it cannot run; what
is not run is checked as far as it can be, but for ```text. `<!-- first: COMMANDS -->` makes what a
reader of that block has already, as an account: these run before it, in the shell of the page.
`<!-- printed -->` above a ```text block says that the shell of its page prints each of its lines.
`python -m tests.documents` lists them all.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import click
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[1]
GENERATED = ROOT / "docs" / "reference"
PAGES = [
    ROOT / "README.md",
    ROOT / "client" / "README.md",
    ROOT / "examples" / "README.md",
    *sorted(page for page in (ROOT / "docs").rglob("*.md") if page.parent != GENERATED),
]
RUN = {"": "sh", "sh": "sh", "python": "python"}
SHOWN = {"json", "sql", "text", "yaml"}
REASON = re.compile(r"<!-- not run: (\S.*) -->")
PRINTED = re.compile(r"<!-- (printed) -->")
FIRST = re.compile(r"<!-- first:\s(.*)-->", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """One block of code; `reason` says why it is not run, `first` is what runs before it.
    `printed` is not empty if the shell of its page prints it.
    """

    page: str
    line: int
    language: str
    code: str
    reason: str
    first: str
    printed: str

    @property
    def runs(self) -> bool:
        return self.language in RUN and not self.reason


@cache
def blocks(page: Path) -> list[Block]:
    return list(_blocks(page))


def _blocks(page: Path) -> Iterator[Block]:
    name = str(page.relative_to(ROOT))
    tokens = [Token("start", "", 0), *MarkdownIt().parse(page.read_text(encoding="utf-8"))]
    for before, token in pairwise(tokens):
        if token.type not in ("fence", "code_block"):
            continue
        comment = before.content if before.type == "html_block" else ""
        line = token.map[0] + 1 if token.map else 0
        marks = (_of(mark, comment) for mark in (REASON, FIRST, PRINTED))
        yield Block(name, line, token.info.strip(), token.content, *marks)


def _of(mark: re.Pattern[str], comment: str) -> str:
    match = mark.search(comment)
    return match[1] if match else ""


def every_block() -> list[Block]:
    return [block for page in PAGES for block in blocks(page)]


if __name__ == "__main__":
    found = every_block()
    for block in found:
        shown = f"shown ({block.language})" if block.language not in RUN else ""
        click.echo(f"{block.page}:{block.line}: {block.reason or shown or 'run'}")
    run = sum(block.runs for block in found)
    reasons = sum(bool(block.reason) for block in found)
    click.echo(f"{run} are run, {reasons} are not, {len(found) - run - reasons} are only shown")
