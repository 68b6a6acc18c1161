"""Hundreds of mutated documents: each is read, or refused for a reason, and none costs much."""

import random
import time
from collections.abc import Callable, Iterator

import pytest

from app.engine.pages.page import PageUnreadable, Unreadable
from app.engine.sandbox.documents import Document, ReadingScope
from app.engine.sandbox.reader import DocumentReader, ReaderLimits
from tests.patience import PATIENCE_SECONDS
from tests.unit.engine.pages.pdf_bytes import pdf

pytestmark = pytest.mark.timeout(600)
EACH = 100
LIMITS = ReaderLimits(seconds=60.0, memory_bytes=256 << 20)
WANTED = ReadingScope(cpu_seconds=5.0)
FAILURES = {Unreadable.UNREADABLE, Unreadable.TOO_COSTLY}

HTML = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Owls | Birds</title>
<meta property="article:published_time" content="2021-03-04T05:06:07Z"><base href="/birds/">
<link rel="canonical" href="/owls"><meta name="robots" content="index"><style>p {color: red}</style>
<script type="application/ld+json">//<![CDATA[
{"@graph": [{"@type": "Article", "@id": "#a", "author": {"@id": "#b"}, "headline": "Owls"},
{"@type": "Person", "@id": "#b", "name": "Ann"},]}
//]]></script></head><body><nav class="menu"><ul><li><a href="/">Home</a></ul></nav>
<main><article itemscope><h1 id="owls">Owls <a href="#owls">¶</a></h1>
<p>The barn owl hunts at night, e.g. in fields.<br>It weighs 250&ndash;480 g<sup>[1]</sup>.</p>
<h2>Eggs</h2><table><tr><th>Owl<th>Eggs</tr><tr><td>Barn owl<td>4 to 7</tr></table>
<ol start="3"><li>One <ul><li>nested</ul><li>Two</ol><dl><dt>Clutch<dd>The eggs of one nest.</dl>
<pre><code>def owl(): \n    return 7</code></pre><blockquote>Who? 猫头鹰。</blockquote>
<p itemprop="author">by <span itemprop="name">Ann</span>, <time datetime="2021">2021</time></p>
<div style="display:none">hidden</div><aside class="note">A note.</aside></article></main>
<footer role="contentinfo"><a rel="nofollow" href="mailto:a@b.org">Us</a></footer></body></html>
"""
MARKDOWN = """---
title: Owls
date: 2021-03-04
---
# Owls

The *barn* owl **hunts** at `night`, see [more](https://example.org/a "b") and ![picture](c.png).

| Owl | Eggs |
|-----|------|
| barn owl | 4 to 7 |

1. One
   - nested
2. Two

> A quote.

```python
owl()
```

    indented

[ref]: /x 'y'
<div>raw <b>markup</b></div>
"""
PLAIN = """Owls and their young

The barn owl hunts at night. It weighs 250 to 480 grams, which is
less than most believe, and hatches after 30 days.

  - One
  - Two

    def owl():
        return 7

Die Eule jagt nachts. Сова охотится ночью. 猫头鹰在夜间捕猎。
"""
PDF = pdf(
    [(24, 700, "Owls"), (11, 660, "The barn owl hunts at night and is no-"), (11, 647, "body.")],
    [(11, 700, "- One"), (11, 680, "- Two"), (9, 30, "2")],
    info="/Title (Owls) /Author (Ann) /CreationDate (D:20200102030405+01'00')",
)
SEEDS = {
    "text/html": HTML.encode(),
    "text/markdown": MARKDOWN.encode(),
    "text/plain": PLAIN.encode(),
    "application/pdf": PDF,
    "text/csv": b'Owl,Eggs,Note\n"Barn owl",4 to 7,"It says ""hoo""\nat night"\nTawny owl,3,\n',
}
TOKENS = [
    b"\0", b"\x01", b"\x0b", b"\x0c", b"\x1f", b"\xef\xbf\xbe", b"\xef\xbf\xbf", b"\xed\xa0\x80",
    b"\xff\xfe", b"&#12;", b"&#xfffe;", b"&#x110000;", b"&", b"<", b">", b"<!--", b"-->", b"]]>",
    b"<![CDATA[", b"</", b'"', b"'", b"<a href=#>", b"<table>", b"<tr><td>", b"<li>", b"<h1>",
    b"<nav>", b"</nav>", b"<pre>", b"<svg>", b"<template>", b"<frameset>", b"<script>", b"<base>",
    b"\xcc\x81" * 40, b" " * 3_000, b"\n" * 500, b"[" * 300, b">" * 300, b"*_" * 200, b"|" * 200,
    b"9" * 400, b"-1", b"<<", b">>", b"endobj", b"stream", b"/Kids [2 0 R]", b"/Length 99999999",
    "\u202e\ufdfa\U0001f989".encode(), "İ".encode(), b"http://[::1", b"http://a:99999/", b"\r",
]  # fmt: skip


def mutated(seed: bytes, drawn: random.Random) -> bytes:
    """`seed` after one to six changes: a piece goes, and another comes in its place."""
    body = bytearray(seed)
    for _ in range(drawn.randint(1, 6)):
        at = drawn.randrange(len(body) + 1)
        length = drawn.choice([0, 0, 1, 3, 20, 200, len(body) if drawn.random() < 0.05 else 0])
        body[at : at + length] = drawn.choice(PIECES)(body, drawn)
    return bytes(body)


# What comes in its place: nothing, a byte, a token, or a part of the same or of another document.
PIECES: tuple[Callable[[bytearray, random.Random], bytes], ...] = (
    lambda _, drawn: b"",
    lambda _, drawn: drawn.randbytes(1),
    lambda _, drawn: drawn.choice(TOKENS) * drawn.choice([1, 2, 40]),
    lambda body, drawn: _slice(body, drawn) * drawn.choice([1, 2, 30]),
    lambda _, drawn: _slice(drawn.choice(list(SEEDS.values())), drawn),
)


def _slice(body: bytes | bytearray, drawn: random.Random) -> bytes:
    start = drawn.randrange(len(body) + 1)
    return bytes(body[start : start + drawn.choice([3, 20, 400])])


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    reader = DocumentReader(LIMITS)
    yield reader
    reader.close()


@pytest.mark.parametrize("media_type", SEEDS)
def test_mutated_documents_are_read_or_refused_within_their_limits(
    reader: DocumentReader, media_type: str
) -> None:
    drawn = random.Random(media_type)
    failed: list[tuple[Unreadable, bytes]] = []
    for _ in range(EACH):
        body = mutated(SEEDS[media_type], drawn)
        document = Document(body, media_type, drawn.choice([None, "utf-8"]), "https://e.org/a")
        try:
            reader.read(document, time.monotonic() + PATIENCE_SECONDS, WANTED)
        except PageUnreadable as unreadable:
            if unreadable.reason in FAILURES:
                failed.append((unreadable.reason, body))
    assert failed == []
