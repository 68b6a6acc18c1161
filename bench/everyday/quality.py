"""Answers about everyday documents: how many are right, and what becomes of what none answers.

    python -m bench.everyday.quality [--half fit|judged|others] [--floors]

Six small collections as organisations keep them (a club, a shop, a firm, a clinic, a council, a
museum of local history), with 24 questions each in everyday words that one document answers, and
eight that none does: four about a detail that is not given, two about the neighbourhood, two about
something else. All of it was made up for this, and the questions were written before one was asked.
An answer is right if a quote of the document that answers holds a gold string. The first three
collections are for fitting, the others for judging; `others` are two in German, one in French and
one in Spanish (20 and six questions each): the first two for fitting, the last two for judging.
Needs the packaged models.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.domains.library.corpora.folder import MEDIA_TYPES
from app.engine.answer.confidence.gate import LIKELY
from app.engine.answer.evidence import Answer, Citation, Evidence
from app.engine.answer.extracts.extractive import answer
from app.engine.sandbox.documents import Document, ReadDocument
from app.engine.sandbox.prepare import read_document
from app.engine.search.interface import IndexedPassage
from app.engine.search.query import parse
from app.engine.search.rank import PassageCandidate, RankedPassage, collapse, rescore
from app.engine.semantic.embedder import Embedder, Vectors, embedder_for, scale_of
from app.engine.semantic.packaged import models
from app.engine.text.scripts import primary_language
from bench.memory_retriever import MemoryRetriever

FOLDER = Path(__file__).parent
HALVES = {
    "fit": ("club", "shop", "firm"),
    "judged": ("clinic", "council", "history"),
    "others": ("verein", "tienda", "mairie", "praxis"),
}
PACKAGED = 2
POOL, RANKED = 200, 100  # as a search of standard depth


@dataclass(frozen=True, slots=True)
class Floors:
    """How many answers at least, and at most."""

    right: int
    wrong: int
    absent_answered: int
    absent_shown: int


# Of 72 questions and 24 that nothing answers, and of 80 and 24.
FLOORS = {"judged": Floors(47, 9, 6, 11), "others": Floors(43, 17, 7, 14)}


@dataclass(frozen=True, slots=True)
class Question:
    """`gold` are strings of `document` of which each tells what was asked for; none: absent."""

    text: str
    gold: tuple[str, ...]
    document: str


@dataclass(frozen=True, slots=True)
class Judged:
    """The state of an answer, and whether a quote of it holds the gold."""

    question: Question
    state: str
    right: bool
    confidence: float


class Collection:
    """The documents of one folder as passages with their vectors."""

    def __init__(self, name: str, embedders: Sequence[Embedder]) -> None:
        files = sorted((FOLDER / "documents" / name).iterdir())
        self._names = [file.name for file in files]
        self._read = [_read(file) for file in files]
        self._embedders = embedders
        self._places = [(n, x) for n, read in enumerate(self._read) for x in read.passages]
        self._passages = [self._indexed(id) for id in range(len(self._places))]
        self._retriever = MemoryRetriever()
        self._retriever.upsert("", self._passages)
        self._vectors: dict[str, dict[int, Vectors]] = {x.name: {} for x in embedders}
        for passage in self._passages:
            if embedder := embedder_for(embedders, primary_language(passage.language)):
                (vector,) = embedder.embed([passage.indexed_text], seconds=3600)
                self._vectors[embedder.name][passage.id] = vector

    def _indexed(self, id: int) -> IndexedPassage:
        source, passage = self._places[id]
        page = self._read[source].page
        return IndexedPassage(
            id,
            str(source),
            page.text[passage.start : passage.end],
            title=page.title or self._names[source],
            headings=passage.heading_path,
            language=passage.language or page.language,
        )

    def judge(self, question: Question) -> Judged:
        given = self._ask(question.text)
        state = "refused" if not given.answered else "perhaps"
        if given.answered and given.confidence.answer >= LIKELY:
            state = "answered"
        right = any(self._holds(question, quote) for quote in given.citations)
        return Judged(question, state, right, given.confidence.answer)

    def _ask(self, text: str) -> Answer:
        languages = Counter(x.language for x in self._passages if x.language)
        query = parse(text, [code for code, _ in languages.most_common()])
        hits = self._retriever.lexical("", query.lexical(), POOL)
        stats = self._retriever.stats("", query.terms)
        cosines = self._cosines(text, query.language)
        candidates = [
            PassageCandidate(self._passages[x.passage_id], x.score, cosines.get(x.passage_id))
            for x in hits
        ]
        ranked = collapse(rescore(query, candidates, stats, RANKED))
        return answer(query, [self._evidence(x) for x in ranked], stats)

    def _cosines(self, text: str, language: str) -> dict[int, float]:
        """On the scale on which answers are judged; of those in a language of the same model."""
        embedder = embedder_for(self._embedders, language)
        scale = scale_of(embedder) if embedder else None
        if embedder is None or scale is None:
            return {}
        asked = embedder.embed_question(text, seconds=60)
        vectors = self._vectors[embedder.name]
        return {id: scale.of(float(vector @ asked)) for id, vector in vectors.items()}

    def _evidence(self, ranked: RankedPassage) -> Evidence:
        source, passage = self._places[ranked.passage.id]
        return Evidence(
            source,
            self._read[source].page.text,
            passage.start,
            passage.end,
            ranked.score,
            ranked.passage.title,
            ranked.passage.headings,
            ranked.passage.language,
            ranked.cosine,
        )

    def _holds(self, question: Question, citation: Citation) -> bool:
        quote = _plain(citation.quote)
        held = any(_plain(gold) in quote for gold in question.gold)
        return held and self._names[citation.source] == question.document


def _read(file: Path) -> ReadDocument:
    url = f"corpus://everyday/{file.name}"
    return read_document(Document(file.read_bytes(), MEDIA_TYPES[file.suffix], None, url))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def questions(name: str) -> Iterator[Question]:
    for row in json.loads((FOLDER / "questions" / f"{name}.json").read_text(encoding="utf-8")):
        yield Question(row["question"], tuple(row["gold"]), row["document"])


COLUMNS = ("answered", "perhaps", "refused", "right", "wrong")


def counts(judged: list[Judged], *, absent: bool) -> Counter[str]:
    """Returns how many are in each state; of what was shown, how many are right and wrong."""
    found = [x for x in judged if (not x.question.gold) == absent]
    figures = Counter(x.state for x in found)
    shown = [x for x in found if x.state != "refused"]
    figures["right"] = sum(x.right for x in shown)
    figures["wrong"] = len(shown) - figures["right"]
    return figures


def missed(half: str, judged: list[Judged]) -> list[str]:
    """What is worse than known, in words."""
    floors = FLOORS[half]
    asked, absent = counts(judged, absent=False), counts(judged, absent=True)
    most = {
        "wrong": (asked["wrong"], floors.wrong),
        "absent answered": (absent["answered"], floors.absent_answered),
        "absent shown": (absent["wrong"], floors.absent_shown),
    }
    worse = [f"{half}: {what} {n} > {limit}" for what, (n, limit) in most.items() if n > limit]
    if asked["right"] < floors.right:
        worse.append(f"{half}: right {asked['right']} < {floors.right}")
    return worse


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=tuple(HALVES), default="judged")
    parser.add_argument(
        "--floors", action="store_true", help="judged and others; exit 1 below floors"
    )
    chosen = parser.parse_args()
    embedders = [load() for load in models.installed()]
    if len(embedders) < PACKAGED:
        print("skipped: a packaged model is absent")
        return 0
    print(f"{'':<20}" + "".join(f"{name:>10}" for name in COLUMNS))
    failures: list[str] = []
    for half in FLOORS if chosen.floors else [chosen.half]:
        judged: list[Judged] = []
        for name in HALVES[half]:
            collection = Collection(name, embedders)
            own = [collection.judge(question) for question in questions(name)]
            _print(name, own)
            judged += own
        _print("together", judged)
        failures += missed(half, judged) if chosen.floors else []
    for failure in failures:
        print(failure)
    return 1 if failures else 0


def _print(name: str, judged: list[Judged]) -> None:
    for absent in (False, True):
        figures = counts(judged, absent=absent)
        row = f"{name}, absent" if absent else name
        print(f"{row:<20}" + "".join(f"{figures[column]:>10}" for column in COLUMNS))


if __name__ == "__main__":
    sys.exit(main())
