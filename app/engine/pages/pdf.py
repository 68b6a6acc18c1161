"""Read a PDF: parsed in a limited child process, its lines put together to paragraphs here."""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from threading import Timer
from typing import Any

from app.engine.pages.canonical import Block, Kind, canonical, lay_out
from app.engine.pages.dates import pdf_date
from app.engine.pages.language import language_of
from app.engine.pages.page import Page, PageUnreadable, Published, Unreadable

_CHILD = Path(__file__).with_name("pdf_child.py")
_LIST_ITEM = re.compile(r"(?:[•‣▪◦–*-]|\(?\d{1,2}[.)]|\(?[a-z]\))\s+\S")
_PAGE_NUMBER = re.compile(
    r"\W*(?:page\s+)?(?:\d{1,4}|[ivxl]{1,6})(?:\s*(?:/|of)\s*\d{1,4})?\W*", re.IGNORECASE
)
_HYPHENATED = re.compile(r"(?<=[^\W\d_])[\u00ad\u0002\ufffe-]$")


@dataclass(frozen=True, slots=True)
class PdfLimits:
    """What one PDF may cost: wall and CPU seconds, bytes of memory, pages, characters of text.

    Pages after `pages` are not read."""

    seconds: float = 30.0
    cpu_seconds: int = 20
    memory: int = 1024 * 1024 * 1024
    pages: int = 500
    characters: int = 5_000_000


_DEFAULT_LIMITS = PdfLimits()


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    size: float
    baseline: float


def read_pdf(body: bytes, limits: PdfLimits = _DEFAULT_LIMITS) -> Page:
    """The page in `body`. Raises PageUnreadable: ENCRYPTED, NOT_TEXT (not a PDF, broken, or only
    images), TOO_LARGE, TIMEOUT."""
    answer = _parse(body, limits)
    pages = [[_Line(*line) for line in page] for page in answer["pages"]]
    blocks = _blocks(_without_running_heads(pages))
    layout = lay_out(blocks)
    if not layout.text:
        raise PageUnreadable(Unreadable.NOT_TEXT)
    dated = pdf_date(answer["created"] or "")
    first = next((heading.text for heading in layout.headings), None)
    return Page(
        text=layout.text,
        title=_line(answer["title"]) or first,
        headings=layout.headings,
        language=language_of(layout.text),
        published=Published(*dated, "pdf") if dated else None,
        author=_line(answer["author"]),
    )


def _parse(body: bytes, limits: PdfLimits) -> Mapping[str, Any]:
    arguments = (limits.pages, limits.characters, limits.memory, limits.cpu_seconds)
    most_output = limits.characters * 12 + 1_000_000
    with subprocess.Popen(  # noqa: S603 - our own file, numbers for arguments
        [sys.executable, "-I", str(_CHILD), *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={},
    ) as child:
        timer = Timer(limits.seconds, child.kill)
        timer.start()
        try:
            output = _exchange(child, body, most_output)
        finally:
            timed_out = not timer.is_alive()
            timer.cancel()
            child.kill()
    if timed_out or child.returncode == -24:  # SIGXCPU
        raise PageUnreadable(Unreadable.TIMEOUT)
    return _answer(output, most_output)


def _exchange(child: subprocess.Popen[bytes], body: bytes, most: int) -> bytes:
    assert child.stdin is not None  # noqa: S101 - both are pipes by construction
    assert child.stdout is not None  # noqa: S101
    try:
        child.stdin.write(body)
        child.stdin.close()
    except BrokenPipeError:
        return b""
    # The child reads all before it writes, so one after the other cannot deadlock.
    return child.stdout.read(most + 1)


def _answer(output: bytes, most: int) -> Mapping[str, Any]:
    if len(output) > most:
        raise PageUnreadable(Unreadable.TOO_LARGE)
    try:
        answer = json.loads(output)
    except ValueError as error:  # the child died: a broken file, or a limit
        raise PageUnreadable(Unreadable.NOT_TEXT) from error
    if "error" in answer:
        raise PageUnreadable(Unreadable(answer["error"]))
    return answer  # type: ignore[no-any-return]


def _without_running_heads(pages: Sequence[Sequence[_Line]]) -> list[list[_Line]]:
    """Pages without the lines that stand at the top or bottom of most of them, and page numbers."""
    edges: Counter[str] = Counter()
    for page in pages:
        edges.update({_pattern(line) for line in (*page[:2], *page[-2:])})
    running = {text for text, count in edges.items() if count >= 3 and count > 0.4 * len(pages)}
    kept = []
    for page in pages:
        last = len(page) - 2
        kept.append(
            [
                line
                for number, line in enumerate(page)
                if not (
                    (number < 2 or number >= last)
                    and (_pattern(line) in running or _PAGE_NUMBER.fullmatch(line.text))
                )
            ]
        )
    return kept


def _pattern(line: _Line) -> str:
    return re.sub(r"\d+", "0", line.text.strip().lower())


def _blocks(pages: Sequence[Sequence[_Line]]) -> list[Block]:
    """Paragraphs and headings: a wider gap, another size or a list marker begins a new one."""
    lines = [line for page in pages for line in page]
    sizes = Counter[float]()
    for line in lines:
        sizes[line.size] += len(line.text)
    body_size = sizes.most_common(1)[0][0] if sizes else 0.0
    leading = _leading(lines)
    blocks: list[Block] = []
    pending: list[_Line] = []
    for line in lines:
        if pending and _begins(pending[-1], line, leading):
            blocks.append(_block(pending, body_size))
            pending = []
        pending.append(line)
    return [*blocks, _block(pending, body_size)] if pending else blocks


def _leading(lines: Sequence[_Line]) -> float:
    """The usual distance of two baselines in heights of the font."""
    steps = Counter(
        round((above.baseline - below.baseline) / below.size, 1)
        for above, below in pairwise(lines)
        if below.size > 0 and 0.5 * below.size < above.baseline - below.baseline < 3 * below.size
    )
    return steps.most_common(1)[0][0] if steps else 1.2


def _begins(previous: _Line, line: _Line, leading: float) -> bool:
    if abs(line.size - previous.size) > 0.12 * max(line.size, previous.size):
        return True
    if _LIST_ITEM.match(line.text):
        return True
    step = previous.baseline - line.baseline
    if step < -line.size:  # the next column or page: only the end of a sentence ends a paragraph
        return previous.text.rstrip().endswith((".", "!", "?", ":"))
    return step > 1.25 * leading * line.size


def _block(lines: Sequence[_Line], body_size: float) -> Block:
    text = lines[0].text.strip()
    for line in lines[1:]:
        following = line.text.strip()
        if _HYPHENATED.search(text) and following[:1].islower():
            text = text[:-1] + following
        else:
            text = f"{text} {following}"
    size = lines[0].size
    if size > 1.12 * body_size and len(text) <= 200 and any(c.isalpha() for c in text):
        return Block(Kind.HEADING, text, 1 if size > 1.6 * body_size else 2)
    return Block(Kind.PARAGRAPH, text)


def _line(value: object) -> str | None:
    return " ".join(canonical(value).split()) or None if isinstance(value, str) else None
