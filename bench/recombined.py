"""A large collection whose statistics are those of real text, around judged documents.

First the real ones: Cranfield's documents (the judged queries ask about them), Vaswani's, and the
English paragraphs of xquad. Beyond them each passage is made of whole sentences of random real
documents of one of the collections, as many as one of them has, so lengths and the frequencies of
common words stay those of real text: what is in 5 % of the real documents is in 5 % of all, however
many there are. Rare words would become common that way; a word of few documents is therefore spelt
in one of (size / real size) ** .6 ways: the vocabulary grows as in real text (Heaps' law).
"""

import io
import json
import random
import re
import tarfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.engine.search.interface import IndexedPassage

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
NEEDED = ("cranfield", "vaswani", "xquad")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_WORD = re.compile(r"[a-z]{3,}")
_RARE = 0.001  # of the real documents
_HEAPS = 0.6


def read(collection: str, name: str) -> str:
    with tarfile.open(DATA / f"{collection}.tar.xz") as archive:
        member = archive.extractfile(f"{collection}/{name}")
        if member is None:
            raise FileNotFoundError(name)
        return io.TextIOWrapper(member, "utf-8").read()


def lines(collection: str, name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in read(collection, name).splitlines()]


def grades(collection: str) -> dict[str, dict[str, int]]:
    """The positive judgements, by query and document."""
    found: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for line in read(collection, "qrels.tsv").splitlines():
        query_id, doc_id, grade = line.split("\t")
        if int(grade) > 0:
            found[query_id][doc_id] = int(grade)
    return dict(found)


def questions() -> list[str]:
    """The real queries of all three collections, mixed."""
    asked = [query["text"] for name in NEEDED[:2] for query in lines(name, "queries.jsonl")]
    asked += [qa["question"] for paragraph in _paragraphs() for qa in paragraph["qas"][:1]]
    random.Random(5).shuffle(asked)
    return asked


def passages(n: int) -> Iterator[IndexedPassage]:
    """`n` passages with ids from 1; Cranfield's come first, their source ids are the documents'."""
    real = list(_real())[:n]
    yield from (
        IndexedPassage(i, source, text, title=title, language="en")
        for i, (source, title, text) in enumerate(real, 1)
    )
    held = Counter(word for _, _, text in real for word in set(_WORD.findall(text)))
    kinds = defaultdict(list)  # in equal parts: passages are rather longer than Vaswani's abstracts
    for source, _, text in real:
        kinds[source.split()[0] if " " in source else NEEDED[0]].append(_SENTENCE.split(text))
    collections = list(kinds.values())
    rare = {word for word, df in held.items() if df <= _RARE * len(real)}
    ways = max(1, round((n / len(real)) ** _HEAPS))
    chance = random.Random(7)

    def spelt(match: re.Match[str]) -> str:
        word = match[0]
        if word not in rare or (way := chance.randrange(ways)) == 0:
            return word
        return f"{word}q{'bcdfghjkmn'[way % 10]}{'bcdfghjkmn'[way // 10 % 10]}x"

    for i in range(len(real) + 1, n + 1):
        texts = chance.choice(collections)
        drawn = [chance.choice(chance.choice(texts)) for _ in chance.choice(texts)]
        text = _WORD.sub(spelt, " ".join(drawn))
        yield IndexedPassage(i, f"made{i // 7}", text, language="en")


def _real() -> Iterator[tuple[str, str, str]]:
    for doc in lines("cranfield", "docs.jsonl"):
        yield doc["id"], doc["title"] or "", doc["text"]
    for doc in lines("vaswani", "docs.jsonl"):
        yield f"vaswani {doc['id']}", "", doc["text"].lower()
    for i, paragraph in enumerate(_paragraphs()):
        yield f"xquad {i}", "", paragraph["context"]


def _paragraphs() -> list[dict[str, Any]]:
    articles = json.loads(read("xquad", "xquad.en.json"))["data"]
    return [paragraph for article in articles for paragraph in article["paragraphs"]]
