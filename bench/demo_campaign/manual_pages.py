"""Pages of a manual in a folder, served as they are, and what each of them states."""

import random
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from html import escape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

from lxml import html

SCHEMA: Final = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "synopsis": {"type": "string"}},
    "required": ["name", "synopsis"],
}
_FIRST: Final = "/"
_HEADINGS: Final = ("h1", "h2", "h3")
_LETTERS: Final = re.compile(r"\W+")


@dataclass(frozen=True)
class ManualPage:
    """Its title, and the lines under NAME and under SYNOPSIS."""

    name: str
    title: str
    called: tuple[str, ...]
    synopsis: tuple[str, ...]

    def states(self, data: Mapping[str, Any]) -> bool:
        """True if a record says what the page says, as a person would: the text under NAME or its
        first lines, the command alone or the title, and the synopsis or its first lines. A word
        of it is none.
        """
        called, synopsis = (_plain(str(data.get(name, ""))) for name in ("name", "synopsis"))
        alone = {_plain(self.title), _plain(self.called[0].partition(" - ")[0])}
        return synopsis in _begins(self.synopsis) and called in _begins(self.called) | alone


def _begins(lines: tuple[str, ...]) -> set[str]:
    return {_plain(" ".join(lines[: n + 1])) for n in range(len(lines))} - {""}


def _plain(text: str) -> str:
    """Its words; of what has none, such as the synopsis "*", its signs."""
    return _LETTERS.sub(" ", text).strip().casefold() or "".join(text.split())


def pages(folder: Path, most: int, seed: int = 0) -> list[ManualPage]:
    """Pages of a folder that have a name and a synopsis, up to `most`; which, the seed says."""
    found = [page for file in sorted(folder.glob("*.html")) if (page := _page(file))]
    return random.Random(seed).sample(found, min(most, len(found)))


def _page(file: Path) -> ManualPage | None:
    parser = html.HTMLParser(remove_comments=True, remove_pis=True)
    root = html.document_fromstring(file.read_bytes(), parser)
    called, synopsis = (_under(root, heading) for heading in ("name", "synopsis"))
    if not called or not synopsis:
        return None
    return ManualPage(file.name, str(root.findtext(".//title")), called, synopsis)


def _under(root: html.HtmlElement, heading: str) -> tuple[str, ...]:
    """The lines between a heading and the next one."""
    for found in root.iter(*_HEADINGS):
        if found.text_content().strip().casefold() == heading:
            below = takewhile(lambda each: each.tag not in _HEADINGS, found.itersiblings())
            text = "\n".join(each.text_content() + (each.tail or "") for each in below)
            text = f"{found.tail or ''}{text}"
            return tuple(" ".join(line.split()) for line in text.split("\n") if line.strip())
    return ()


class _Pages(SimpleHTTPRequestHandler):
    """The files that are wanted of a folder, and a first page that leads to them."""

    def __init__(self, *args: Any, first: str, wanted: frozenset[str], **kwargs: Any) -> None:
        self._first, self._wanted = first.encode(), wanted
        super().__init__(*args, **kwargs)

    def do_GET(self) -> None:
        if self.path != _FIRST:
            if self.path.removeprefix(_FIRST) in self._wanted:
                super().do_GET()
            else:
                self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(self._first)))
        self.end_headers()
        self.wfile.write(self._first)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(folder: Path, wanted: Sequence[ManualPage]) -> Iterator[str]:
    """The address of a page with a link to each that is wanted, while the block runs."""
    links = "".join(
        f'<li><a href="/{escape(each.name)}">{escape(each.name)}</a></li>' for each in wanted
    )
    first = f"<html><title>Manual</title><body><ul>{links}</ul></body></html>"
    only = frozenset(each.name for each in wanted)
    handler = partial(_Pages, directory=str(folder), first=first, wanted=only)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}{_FIRST}"
    finally:
        server.shutdown()
