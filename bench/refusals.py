"""The two numbers of an answer against the truth: that the sources answer, that it is right.

    OPENBLAS_NUM_THREADS=1 python -m bench.refusals [--quick]

XQuAD in English, the half of the articles that nothing is fitted on. Every question is asked with
its article and without it: what is answered then is answered wrongly. First what a threshold of
`sources_confidence` costs: absent questions refused against answerable ones lost, by words alone,
by the best cosine alone, and by both as the product does. Then the reliability of `confidence`: of
the answers shown, how many hold the gold, and how many in their lead. Needs the packaged model.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean

from app.core.config.settings import Settings
from app.engine.answer.confidence.gate import best_cosine
from app.engine.answer.evidence import foremost
from app.engine.answer.extracts import extractive
from app.engine.semantic.embedder import embedder_for
from bench.answers import DATA, QUICK_ARTICLES, Collection, Question, half, holds, load
from bench.figures import OUT
from workers.index.embeddings import embedders_of

THRESHOLDS = {
    "words": (0.3, 0.4, 0.55, 0.6, 0.7),
    "cosine": (0.4, 0.45, 0.5, 0.55, 0.6),
    "both": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6),
}
BINS = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 1.01)


@dataclass(frozen=True, slots=True)
class Judged:
    """A question with its article or, `absent`, without it.

    `words`, `cosine` and `both` are that the sources answer; `confidence` is of the answer `shown`,
    `right` and `lead` whether one of its passages and the first one's lead hold the gold.
    """

    question: str
    absent: bool
    words: float
    cosine: float
    both: float
    confidence: float
    shown: bool
    right: bool
    lead: bool


def judge(collection: Collection, question: Question, *, absent: bool) -> Judged:
    query, evidence, answer = collection.ask(question.text)
    stats = collection.retriever.stats("", query.terms)
    without = [replace(x, cosine=None) for x in evidence]
    by_words = extractive.answer(query, without, stats)
    first = answer.citations[0] if answer.citations else None
    return Judged(
        question.text,
        absent,
        by_words.confidence.sources,
        best_cosine(foremost(evidence)) or 0.0,
        answer.confidence.sources,
        answer.confidence.answer,
        answer.answered,
        not absent and any(holds(each.quote, question.golds) for each in answer.citations),
        first is not None and not absent and holds(first.lead, question.golds),
    )


def rows(collection: Collection, most: int | None) -> list[Judged]:
    paragraphs, questions = load("en")
    found = []
    for article in sorted(half(paragraphs, "judged"))[:most]:
        its = [x for x in questions if paragraphs[x.paragraph].article == article]
        found += [judge(collection, x, absent=False) for x in its]
        for _ in collection.without(article):
            found += [judge(collection, x, absent=True) for x in its]
    return found


def share_below(found: list[Judged], form: str, threshold: float, *, absent: bool) -> float:
    of: list[float] = [getattr(x, form) for x in found if x.absent == absent]
    return sum(x < threshold for x in of) / len(of)


def reliability(found: Sequence[Judged]) -> list[tuple[float, float, int, float, float, float]]:
    """Each bin of confidence that has answers: its bounds, how many, their mean confidence, and
    the shares that hold the gold, and that hold it in the lead."""
    shown = [x for x in found if x.shown]
    bins = [(a, b, [x for x in shown if a <= x.confidence < b]) for a, b in pairwise(BINS)]
    return [
        (
            a,
            b,
            len(own),
            fmean(x.confidence for x in own),
            fmean(x.right for x in own),
            fmean(x.lead for x in own),
        )
        for a, b, own in bins
        if own
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few articles, to see that it works")
    most = QUICK_ARTICLES if parser.parse_args().quick else None
    settings = Settings(
        database_url="", redis_url="", secret_key="x" * 32, embeddings_packaged=True
    )
    embedder = embedder_for(embedders_of(settings), "en")
    if embedder is None or not DATA.exists():
        print("skipped: the packaged model or XQuAD is absent")
        return
    found = rows(Collection(load("en")[0], "en", embedder), most)
    print(f"{'by':<8}{'threshold':>10}{'answerable lost':>18}{'absent refused':>18}")
    for form, thresholds in THRESHOLDS.items():
        for threshold in thresholds:
            lost = share_below(found, form, threshold, absent=False)
            refused = share_below(found, form, threshold, absent=True)
            print(f"{form:<8}{threshold:>10.2f}{lost:>18.3f}{refused:>18.3f}")
    print(f"\n{'confidence':<12}{'answers':>9}{'mean':>8}{'right':>8}{'lead':>8}")
    for a, b, number, mean, right, lead in reliability(found):
        bounds = f"{a:.2f}-{min(b, 1.0):.2f}"
        print(f"{bounds:<12}{number:>9}{mean:>8.3f}{right:>8.3f}{lead:>8.3f}")
    OUT.mkdir(exist_ok=True)
    kept = [[x.question, x.absent, x.words, x.cosine, x.both, x.confidence] for x in found]
    (OUT / "refusals.json").write_text(json.dumps(kept, indent=0) + "\n")


if __name__ == "__main__":
    main()
