"""What a threshold of confidence costs: absent questions refused against answerable ones lost.

    OPENBLAS_NUM_THREADS=1 python -m bench.refusals [--quick]

XQuAD in English, the half of the articles that is not used for fitting by words. Every question is
asked with its article and without it: what is answered then is answered wrongly. By words alone, by
the best cosine alone, and by both as the product does. Needs the packaged model.
"""

import argparse
import json
from dataclasses import dataclass, replace

from app.core.config.settings import Settings
from app.engine.answer.blocks.units import units
from app.engine.answer.confidence.gate import best_cosine, confidence
from app.engine.answer.evidence import Evidence, foremost
from app.engine.search.overlap import Overlap
from bench.answers import DATA, QUICK_ARTICLES, Collection, Question, half, load
from bench.figures import OUT
from workers.index.embeddings import embedder_of

THRESHOLDS = {
    "words": (0.3, 0.4, 0.51, 0.6, 0.7),
    "cosine": (0.4, 0.45, 0.5, 0.55, 0.6),
    "both": (0.2, 0.3, 0.4, 0.5, 0.6, 0.7),
}


@dataclass(frozen=True, slots=True)
class Judged:
    """A question with its article or, `absent`, without it."""

    question: str
    absent: bool
    words: float
    cosine: float
    both: float


def judge(collection: Collection, question: Question, *, absent: bool) -> Judged:
    query, evidence, answer = collection.ask(question.text)
    read = foremost(evidence)
    stats = collection.retriever.stats("", query.terms)

    def by_words(x: Evidence) -> Evidence:
        return replace(x, cosine=None)

    cut = [(by_words(x), units(x, collection.analyzer, query.text)) for x in read]
    scores = [x.score for x in read]
    words = confidence(query, cut, scores, Overlap(query, stats), collection.analyzer)
    return Judged(question.text, absent, words, best_cosine(read) or 0.0, answer.confidence)


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
    of = [getattr(x, form) for x in found if x.absent == absent]
    return sum(x < threshold for x in of) / len(of)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few articles, to see that it works")
    most = QUICK_ARTICLES if parser.parse_args().quick else None
    settings = Settings(
        database_url="", redis_url="", secret_key="x" * 32, embeddings_packaged=True
    )
    embedder = embedder_of(settings)
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
    OUT.mkdir(exist_ok=True)
    kept = [[x.question, x.absent, x.words, x.cosine, x.both] for x in found]
    (OUT / "refusals.json").write_text(json.dumps(kept, indent=0) + "\n")


if __name__ == "__main__":
    main()
