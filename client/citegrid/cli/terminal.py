"""The terminal's streams: results to stdout, progress, hints and problems to stderr."""

import json
import re
import shlex
import sys
import textwrap
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import click
from click.core import ParameterSource
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from citegrid.cli import exits, problems
from citegrid.errors import CitegridError
from citegrid.nouns.account.credits import Credits
from citegrid.nouns.pagination import Page
from citegrid.profiles import settings
from citegrid.transport.codec import ApiObject, as_json

# Escape sequences, and marks that turn the direction of writing: text of a web page may hold them.
UNSAFE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
LINE_SECONDS: Final = 10.0
MOST_COLUMNS: Final = 100
LEAST_LAST: Final = 24
CONNECTION: Final = ("profile", "base_url", "allow_insecure")


def safe(text: str) -> str:
    """The text without anything that steers a terminal."""
    return UNSAFE.sub("", text.replace("\r\n", "\n"))


def line(text: str) -> str:
    return " ".join(safe(text).split())


class Terminal:
    def __init__(self, *, as_json: bool = False, quiet: bool = False, colour: bool = True) -> None:
        self.as_json, self._quiet = as_json, quiet
        plain = not (colour and settings.colour_wanted())
        self._out = Console(highlight=False, markup=False, emoji=False, no_color=plain)
        self._err = Console(stderr=True, highlight=False, markup=False, emoji=False, no_color=plain)
        self._styled = self._out.is_terminal and not plain

    @property
    def columns(self) -> int | None:
        """The width that a line may have; None where nobody looks, so that lines stay whole."""
        return min(self._out.width, MOST_COLUMNS) if self._out.is_terminal else None

    def text(self, text: str = "", indent: str = "") -> None:
        """A paragraph of the result, wrapped for a person."""
        for paragraph in safe(text).split("\n"):
            wrapped = (
                textwrap.wrap(
                    paragraph,
                    max(self.columns - len(indent), 20),
                    break_long_words=False,  # addresses and ids are copied
                    break_on_hyphens=False,
                )
                or [""]
                if self.columns
                else [paragraph]
            )
            for each in wrapped:
                sys.stdout.write(f"{indent}{each}".rstrip() + "\n")

    def part(self, text: str) -> None:
        """A piece of the result, as soon as it is there."""
        sys.stdout.write(safe(text))
        sys.stdout.flush()

    def whole(self, text: str) -> None:
        """A line of the result that must not be broken."""
        sys.stdout.write(safe(text) + "\n")

    def marked(self, before: str, marked: str, after: str, indent: str = "") -> None:
        """A passage in which one part stands out, in bold or else between >>> and <<<."""
        if self._styled:
            text = Text.assemble(safe(before), (safe(marked), "bold reverse"), safe(after))
            self._out.print(Padding(text, (0, 0, 0, len(indent)), expand=False), soft_wrap=False)
        else:
            self.text(f"{before}>>>{marked}<<<{after}", indent)

    def emphasised(self, text: str, spans: Sequence[tuple[int, int]]) -> None:
        """A text of the result of which these spans, in order, are bold; plain without styles."""
        if not self._styled:
            self.text(text)
            return
        shown, position = Text(), 0
        for start, end in spans:
            shown.append(safe(text[position:start])).append(safe(text[start:end]), "bold")
            position = end
        shown.append(safe(text[position:]))
        self._out.print(shown, width=self.columns)

    def json(self, value: Any) -> None:
        """One object on one line; only ASCII, so no text of a page can steer a terminal."""
        written = value.to_dict() if isinstance(value, ApiObject) else as_json(value)
        sys.stdout.write(json.dumps(written) + "\n")
        sys.stdout.flush()

    def table(self, names: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Columns for a person; without a terminal, tabs between and no names, for programs."""
        if not self._out.is_terminal:
            for row in rows:
                sys.stdout.write("\t".join(line(str(cell)) for cell in row) + "\n")
            return
        table = Table(box=None, pad_edge=False, header_style="bold" if self._styled else "")
        # Identifiers are copied: they stay whole, even beyond the edge; the last column gives way.
        for name in names[:-1]:
            table.add_column(name, no_wrap=True)
        table.add_column(names[-1], overflow="fold")
        cells = [[line(str(cell)) for cell in row] for row in rows]
        for row_cells in cells:
            table.add_row(*map(Text, row_cells))
        widths = [max(map(cell_len, column)) + 2 for column in zip(names, *cells, strict=True)]
        needed = sum(widths[:-1]) + min(widths[-1], LEAST_LAST)
        width, self._out.width = self._out.width, max(self._out.width, needed)
        self._out.print(table)
        self._out.width = width

    def result(self, value: Any, text: str, *, whole: bool = False) -> None:
        """A result as JSON, or in words for a person; `whole` as in `whole`."""
        if self.as_json:
            self.json(value)
        elif whole:
            self.whole(text)
        else:
            self.text(text)

    def deleted(self, what: str) -> None:
        """A thing that is no more, by its id or name."""
        self.say(f"deleted {what}")
        if self.as_json:
            self.json({"deleted": what})

    def listing(self, value: Any, names: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Several results as JSON, or as a table."""
        if self.as_json:
            self.json(value)
        elif rows:
            self.table(names, rows)
        else:
            self.say("Nothing to list.")

    def page(
        self,
        page: Page[Any] | Credits,
        names: Sequence[str],
        rows: Sequence[Sequence[object]],
    ) -> None:
        """A page of a list, and the command for the next one."""
        self.listing(page, names, rows)
        self.more(page)

    def more(self, page: Page[Any] | Credits) -> None:
        """The command for the next page: the one that runs, from there on."""
        if page.next_cursor and not self.as_json:
            typed = " ".join(_typed(click.get_current_context()))
            self.say(f"more:  {typed} --cursor {page.next_cursor}")

    def suggest(self, commands: str, label: str = "try") -> None:
        self.say(_suggestion(commands, label))

    def say(self, text: str) -> None:
        """Something for a person, besides the result."""
        if not self._quiet:
            sys.stdout.flush()  # where both end at one place, they keep their order
            sys.stderr.write(safe(text) + "\n")

    def failed(self, error: CitegridError, hint: str = "") -> None:
        """Reports what was raised, and the next command where one is known."""
        self._problem(str(error), hint or exits.hint(error), problems.of_error(error))

    def problem(self, text: str, hint: str = "", code: str = "failed") -> None:
        """Why it did not work, and the next command."""
        self._problem(text, hint, {"code": code, "message": text, "retryable": False})

    def _problem(self, text: str, hint: str, problem: dict[str, Any]) -> None:
        if self.as_json:
            problems.write_json(problem)
            return
        sys.stdout.flush()
        sys.stderr.write(f"citegrid: {safe(text)}\n")
        if hint:
            sys.stderr.write(f"{safe(_suggestion(hint))}\n")

    @contextmanager
    def progress(self, first: str) -> Iterator[Callable[[str], None]]:
        """Shows the state of the work: live on a terminal, else a line every 10 seconds at most."""
        if self._quiet:
            yield lambda _: None
        elif self._err.is_terminal:
            began = time.monotonic()
            with self._err.status(Text(first)) as status:
                yield lambda text: status.update(
                    Text(f"{line(text)}  {time.monotonic() - began:.0f} s")
                )
        else:
            yield _LineLimit(self.say)


def _suggestion(commands: str, label: str = "try") -> str:
    """The commands, for the server and the profile that the running one was given; what stands
    behind two blanks and `#` is a comment.
    """
    context = click.get_current_context(silent=True)
    options = "".join(f" {each}" for each in _options(context, CONNECTION)) if context else ""
    lines = [line.partition("  #") for line in commands.split("\n")]
    indent = f"\n{' ' * len(label)}   "
    return f"{label}:  {indent.join(''.join((line, options, *rest)) for line, *rest in lines)}"


def _typed(context: click.Context) -> Iterator[str]:
    """The command as it was typed, without its cursor."""
    yield context.command_path
    names = [str(parameter.name) for parameter in context.command.params]
    yield from _options(context, [name for name in names if name != "cursor"])


def _options(context: click.Context, names: Collection[str]) -> Iterator[str]:
    """Yields the parameters of the command that were typed, as they were typed."""
    for parameter in context.command.params:
        name = str(parameter.name)
        typed = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if not typed or name not in names:
            continue
        value = context.params[name]
        option = [max(parameter.opts, key=len)] if isinstance(parameter, click.Option) else []
        for each in value if isinstance(value, tuple) else (value,):
            yield shlex.join(option if each is True else [*option, str(each)])


class _LineLimit:
    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._last, self._next = "", 0.0

    def __call__(self, text: str) -> None:
        now = time.monotonic()
        if text != self._last and now >= self._next:
            self._last, self._next = text, now + LINE_SECONDS
            self._say(text)
