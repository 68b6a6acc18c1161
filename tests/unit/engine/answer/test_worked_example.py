"""The worked example of docs/explanation/quality-score.md, recomputed from its own basis."""

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from app.engine.answer.confidence.quality import (
    ContentFacts,
    PublisherIdentity,
    SourceFacts,
    Support,
    quality,
)
from app.engine.search.overlap import Relevance

PAGE = Path(__file__).parents[4] / "docs" / "explanation" / "quality-score.md"


@pytest.fixture(scope="module")
def example() -> dict[str, Any]:
    block = re.search(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    shown: dict[str, Any] = json.loads(block[1])
    return shown


def facts(example: dict[str, Any]) -> SourceFacts:
    basis = example["quality"]["basis"]
    said = basis["relevance"]
    of = basis["authority"]
    text = basis["content"]
    agreed = basis["agreement"]
    return SourceFacts(
        relevance=[Relevance(said["coverage"], said["best_sentence"], said["bigram"])],
        now=datetime.fromisoformat(example["asked_at"]),
        listed=of["list"],
        linking_domains=of["linking_domains"],
        engines_returning=of["engines_returning"],
        engines_asked=of["engines_asked"],
        identity=PublisherIdentity(of["https"], of["author"], of["publisher"], of["contact"]),
        published_at=datetime.fromisoformat(basis["freshness"]["published_at"]),
        wants_fresh=basis["freshness"]["wants_fresh"],
        content=ContentFacts(
            words=text["words"],
            main_text_ratio=text["main_text_ratio"],
            language_matches=text["language_matches"],
            blocked=text["blocked"] != "no" and text["blocked"],
            distance_to_better=text["distance_to_better"],
        ),
        support=Support(agreed["claims"], agreed["supported"], agreed["independent_sources"]),
    )


@pytest.mark.parametrize("part", ["relevance", "authority", "freshness", "content", "agreement"])
def test_each_part_follows_from_its_basis(example: dict[str, Any], part: str) -> None:
    assert example["quality"][part] == getattr(quality(facts(example)), part)


def test_the_score_follows_from_the_parts(example: dict[str, Any]) -> None:
    assert example["quality_score"] == quality(facts(example)).quality_score
