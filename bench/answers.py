"""Answer quality on XQuAD: does the answer hold the gold string, in how many words, from the right
paragraph, and does it abstain when the article is missing. The same for the lead alone: what the
first citation marks as answering.

Weights were fitted on half of the articles, English and German (`--half fit`). The other half is
the default (`--half judged`). The gates were set with an eye on both halves, so the
judged "answered", "gold held" and "absent answered" are slightly optimistic. "gold held" counts a
refusal as a miss.
"verbatim" is the share of quotes that are the slice their citation names. "disagreeing" is the
share of questions for which sources are said to contradict each other: here always a false alarm.

Languages are those the archive holds, each the figure of its script. `--floors` exits 1 when a
figure is worse than what this was known to reach, less a little; `--quick` asks a few articles, by
floors of their own.
"""

import argparse
import json
import random
import re
import sys
import tarfile
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.engine.answer.evidence import Answer, Evidence
from app.engine.answer.extracts.extractive import answer
from app.engine.pages.passages import count_words
from app.engine.search.interface import IndexedPassage
from app.engine.search.query import Query, parse
from app.engine.search.rank import PassageCandidate, rescore
from app.engine.semantic.embedder import Embedder
from bench.memory_retriever import MemoryRetriever

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "xquad.tar.xz"
CANDIDATES = 100
QUICK_ARTICLES = 4


@dataclass(frozen=True)
class Paragraph:
    article: int
    text: str


@dataclass(frozen=True)
class Question:
    paragraph: int
    text: str
    golds: tuple[str, ...]


def load(language: str) -> tuple[list[Paragraph], list[Question]]:
    """The paragraphs and questions of one language, in file order."""
    with tarfile.open(DATA) as archive:
        member = archive.extractfile(f"xquad/xquad.{language}.json")
        if member is None:
            raise FileNotFoundError(language)
        articles = json.load(member)["data"]
    paragraphs: list[Paragraph] = []
    questions: list[Question] = []
    for number, article in enumerate(articles):
        for paragraph in article["paragraphs"]:
            for item in paragraph["qas"]:
                golds = tuple(x["text"] for x in item["answers"])
                questions.append(Question(len(paragraphs), item["question"], golds))
            paragraphs.append(Paragraph(number, paragraph["context"]))
    return paragraphs, questions


def half(paragraphs: list[Paragraph], which: str) -> set[int]:
    """The articles of one half; the split is by article and the same for all languages."""
    articles = sorted({x.article for x in paragraphs})
    random.Random(3).shuffle(articles)
    middle = len(articles) // 2
    return set(articles[:middle] if which == "fit" else articles[middle:])


class Collection:
    """All paragraphs of a language in a retriever; one article can be taken out for a while."""

    def __init__(
        self, paragraphs: list[Paragraph], language: str, embedder: Embedder | None = None
    ) -> None:
        self.embedder = embedder
        self.language = language
        self.retriever = MemoryRetriever()
        self.passages = [
            IndexedPassage(i, str(x.article), x.text, language=language)
            for i, x in enumerate(paragraphs)
        ]
        self.retriever.upsert("", self.passages)
        texts = [x.indexed_text for x in self.passages]
        self.vectors = embedder.embed(texts, seconds=3600) if embedder else None

    def without(self, article: int) -> Iterator[None]:
        self.retriever.delete("", [str(article)])
        yield
        self.retriever.upsert("", [x for x in self.passages if x.source_id == str(article)])

    def ask(self, text: str) -> tuple[Query, list[Evidence], Answer]:
        query = parse(text, [self.language])
        hits = self.retriever.lexical("", query.lexical(), CANDIDATES)
        stats = self.retriever.stats("", query.terms)
        cosines = self._cosines(text)
        candidates = [
            PassageCandidate(self.passages[x.passage_id], x.score, cosines.get(x.passage_id))
            for x in hits
        ]
        evidence = [
            Evidence(
                source=x.passage.id,
                snapshot=x.passage.text,
                start=0,
                end=len(x.passage.text),
                score=x.score,
                language=self.language,
                cosine=x.cosine,
            )
            for x in rescore(query, candidates, stats)[:10]
        ]
        return query, evidence, answer(query, evidence, stats)

    def _cosines(self, text: str) -> dict[int, float]:
        if self.embedder is None or self.vectors is None:
            return {}
        return dict(
            enumerate(map(float, self.vectors @ self.embedder.embed_question(text, seconds=60)))
        )


def holds(text: str, golds: tuple[str, ...]) -> bool:
    plain = f" {_plain(text)} "
    return any(f" {_plain(gold)} " in plain for gold in golds)


def _plain(text: str) -> str:
    """SQuAD's normalisation: no case, punctuation, markers or articles."""
    text = re.sub(r"\[\d+\]", " ", text.casefold())
    text = "".join(" " if unicodedata.category(x)[0] in "PS" else x for x in text)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def evaluate(language: str, which: str, most: int | None = None) -> dict[str, float]:
    """Shares over the questions of the articles of one half, or of its first `most` articles."""
    paragraphs, questions = load(language)
    collection = Collection(paragraphs, language)
    articles = half(paragraphs, which) if which != "all" else {x.article for x in paragraphs}
    asked = defaultdict(list)
    for question in questions:
        if paragraphs[question.paragraph].article in articles:
            asked[paragraphs[question.paragraph].article].append(question)
    totals: defaultdict[str, float] = defaultdict(float)
    for article, its in list(asked.items())[:most]:
        for question in its:
            _, _, given = collection.ask(question.text)
            _count(totals, question, given, [x.text for x in paragraphs])
        for _ in collection.without(article):
            for question in its:
                totals["absent answered"] += collection.ask(question.text)[2].answered
    n = totals.pop("questions")
    figures = {name: value / n for name, value in totals.items()}
    for name in ("words", "lead words"):
        figures[name] = totals[name] / max(1.0, totals["answered"])
    figures["verbatim"] = totals["verbatim"] / max(1.0, totals["quotes"])
    return {"questions": n, **figures}


def _count(
    totals: dict[str, float], question: Question, given: Answer, snapshots: Sequence[str]
) -> None:
    text = " ".join(given.sentences)
    totals["questions"] += 1
    totals["answered"] += given.answered
    totals["gold held"] += given.answered and holds(text, question.golds)
    totals["words"] += count_words(text) if given.answered else 0
    lead = given.citations[0].lead if given.citations else ""
    totals["gold in lead"] += holds(lead, question.golds)
    totals["lead words"] += count_words(lead)
    totals["quotes"] += len(given.citations)
    totals["verbatim"] += sum(
        x.quote == snapshots[x.source][x.start : x.end] for x in given.citations
    )
    totals["disagreeing"] += bool(given.contradictions)
    cited = [x.source for x in given.citations]
    totals["first citation"] += bool(cited) and cited[0] == question.paragraph
    totals["any citation"] += question.paragraph in cited


COLUMNS = (
    "questions", "answered", "gold held", "words", "gold in lead", "lead words", "first citation",
    "any citation", "absent answered", "verbatim", "disagreeing",
)  # fmt: skip
# Of the judged half, and of the first articles of it that `--quick` asks: at least, and at most.
FLOORS = {
    "en": {
        "answered": (0.93, 0.93),
        "gold held": (0.911, 0.915),
        "gold in lead": (0.775, 0.845),
        "first citation": (0.897, 0.91),
        "verbatim": (1.0, 1.0),
    },
    "de": {
        "answered": (0.895, 0.91),
        "gold held": (0.837, 0.86),
        "gold in lead": (0.715, 0.77),
        "first citation": (0.82, 0.845),
        "verbatim": (1.0, 1.0),
    },
}
CEILINGS = {"words": 150.0, "lead words": 50.0, "absent answered": 0.075, "disagreeing": 0.005}


def languages() -> list[str]:
    """The languages of the archive, those with floors first."""
    with tarfile.open(DATA) as archive:
        found = re.findall(r"xquad/xquad\.(\w+)\.json", "\n".join(archive.getnames()))
    return sorted(found, key=lambda x: (x not in FLOORS, x != "en", x))


def missed(language: str, figures: dict[str, float], *, quick: bool) -> list[str]:
    """What is worse than known, in words."""
    low = [
        f"{language}: {name} {figures[name]:.3f} < {least[quick]}"
        for name, least in FLOORS[language].items()
        if figures[name] < least[quick]
    ]
    high = [
        f"{language}: {name} {figures[name]:.3f} > {most}"
        for name, most in CEILINGS.items()
        if figures[name] > most
    ]
    return low + high


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=("fit", "judged", "all"), default="judged")
    parser.add_argument("--languages", nargs="+")
    parser.add_argument("--quick", action="store_true", help="a few articles")
    parser.add_argument(
        "--floors", action="store_true", help="judged half; exit 1 below the floors"
    )
    chosen = parser.parse_args()
    if not DATA.exists():
        print(f"skipped: {DATA} is absent")
        return 0
    asked = list(FLOORS) if chosen.floors else chosen.languages or languages()
    failures: list[str] = []
    print(f"{'':<4}" + "".join(f"{name:>16}" for name in COLUMNS))
    for language in asked:
        most = QUICK_ARTICLES if chosen.quick else None
        figures = evaluate(language, "judged" if chosen.floors else chosen.half, most)
        print(f"{language:<4}" + "".join(f"{figures[name]:>16.3f}" for name in COLUMNS))
        failures += missed(language, figures, quick=chosen.quick) if chosen.floors else []
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
