"""Quality and speed of main-text extraction against trafilatura, on the WCXB pages.

Run `python -m bench.extraction`. Both read the same pages, in turns. The score is on bags of
lower-case words, averaged over pages. Then each page is read and prepared here and by the child
process that reads strangers' pages, in turns: the ratio of wall time is the price of the child.
"""

import argparse
import json
import re
import tarfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

import trafilatura

from app.engine.pages.page import PageUnreadable
from app.engine.pages.read import read
from app.engine.sandbox.documents import Document, ReadDocument
from app.engine.sandbox.prepare import read_document
from app.engine.sandbox.reader import DocumentReader
from bench import figures
from bench.figures import Aim

ARCHIVE = Path(__file__).parents[2] / "shared" / "data" / "wcxb.tar.xz"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only see that it works")
    most = 10 if parser.parse_args().quick else None
    if not ARCHIVE.exists():
        print(f"skipped: {ARCHIVE} is absent")
        return
    scores: dict[str, dict[str, list[tuple[float, float, float]]]] = {}
    seconds: defaultdict[str, float] = defaultdict(float)
    right: Counter[str] = Counter()
    stated: Counter[str] = Counter()
    for body, truth in islice(pages(), most):
        for name, extract in (("citegrid", ours), ("trafilatura fast", theirs)):
            began = time.process_time()
            text, about = extract(body, truth.get("url") or "https://example.com/")
            seconds[name] += time.process_time() - began
            score = overlap(text, truth["ground_truth"]["main_content"])
            kinds = scores.setdefault(name, defaultdict(list))
            kinds["all"].append(score)
            kinds[truth["_internal"]["page_type"]["primary"]].append(score)
            for field, value in about.items():
                if expected := truth["ground_truth"].get(field):
                    stated[field] += 1
                    right[field] += fold(expected) == fold(value or "")
    report(scores, seconds, right, stated, price_of_child(most))


def price_of_child(most: int | None) -> float:
    """How many times as long the child takes as reading here. They must agree on every page."""
    reader = DocumentReader()
    here, there = 0.0, 0.0
    for number, (body, truth) in enumerate(islice(pages(), most)):
        url = truth.get("url") or "https://example.com/"
        document = Document(body, "text/html", None, url)
        began = time.perf_counter()
        ours = outcome(lambda document: read_document(document), document)
        between = time.perf_counter()
        theirs = outcome(lambda document: reader.read(document, time.monotonic() + 120), document)
        assert ours == theirs, url
        if number:  # the first starts the child, and loads what is loaded once
            here += between - began
            there += time.perf_counter() - between
    reader.close()
    return there / here


def outcome(read: Callable[[Document], ReadDocument], document: Document) -> ReadDocument | str:
    try:
        return read(document)
    except PageUnreadable as unreadable:
        return unreadable.reason.value


def pages() -> Iterator[tuple[bytes, dict[str, Any]]]:
    with tarfile.open(ARCHIVE) as archive:
        files = {m.name: archive.extractfile(m).read() for m in archive if m.isfile()}  # type: ignore[union-attr]
    for name in sorted(files):
        if name.endswith(".json"):
            body = files[name.replace("ground-truth", "html").replace(".json", ".html")]
            yield body, json.loads(files[name])


def ours(body: bytes, url: str) -> tuple[str, dict[str, str | None]]:
    try:
        page = read(body, "text/html", None, url)
    except PageUnreadable:
        return "", {}
    date = page.published_at.date().isoformat() if page.published_at else None
    return page.text, {"title": page.title, "author": page.author, "publish_date": date}


def theirs(body: bytes, url: str) -> tuple[str, dict[str, str | None]]:
    text = trafilatura.extract(body, url=url, fast=True, include_comments=False)
    return text or "", {}


def overlap(found: str, expected: str) -> tuple[float, float, float]:
    """F1, precision and recall of the bag of words."""
    ours, gold = Counter(words(found)), Counter(words(expected))
    shared = (ours & gold).total()
    if not shared:
        return 0.0, 0.0, 0.0
    precision, recall = shared / ours.total(), shared / gold.total()
    return 2 * precision * recall / (precision + recall), precision, recall


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def fold(text: str) -> str:
    return " ".join(words(text))


Scores = dict[str, dict[str, list[tuple[float, float, float]]]]


def report(
    scores: Scores,
    seconds: Mapping[str, float],
    right: Counter[str],
    stated: Counter[str],
    price: float,
) -> None:
    result: dict[str, Any] = {"metadata": {f: round(right[f] / stated[f], 3) for f in stated}}
    for name, kinds in scores.items():
        speed = len(kinds["all"]) / seconds[name]
        result[name] = {"pages_per_second": round(speed, 1)}
        print(f"\n{name}: {speed:.0f} pages/s")
        for kind, values in kinds.items():
            f1, precision, recall = (round(fmean(v[i] for v in values), 3) for i in range(3))
            result[name][kind] = {"f1": f1, "precision": precision, "recall": recall}
            print(f"  {kind:<15}{len(values):>4}  F1 {f1:.3f}  P {precision:.3f}  R {recall:.3f}")
    print("\nmetadata stated and equal:", result["metadata"])
    print(f"read by the child: {price:.2f} times as long as here")
    mine, other = result["citegrid"], result["trafilatura fast"]
    speeds = (mine["pages_per_second"], other["pages_per_second"])
    f1_of = (mine["all"]["f1"], other["all"]["f1"])
    figures.conclude(
        "extraction",
        [
            Aim("F1 of main text", f1_of[0] / f1_of[1], ">=", 1.0, "trafilatura, fast", *f1_of),
            Aim(
                "pages per CPU second",
                speeds[0] / speeds[1],
                ">=",
                0.4,
                "trafilatura, fast",
                *speeds,
                "pages/s",
            ),
            Aim("time of the reading child", price, "<=", 1.1, "reading in this process"),
        ],
        pages=result,
    )


if __name__ == "__main__":
    main()
