"""What the steps of a search are handed, made by hand: no server, no database."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from app.core.config.settings import Settings
from app.domains.library.pages.store import Copy
from app.domains.library.passages import retrieval
from app.domains.library.passages.store import LocatedPassage, Snapshot
from app.engine.search.interface import IndexedPassage, IndexStats
from app.engine.search.query import Query, parse
from app.engine.search.rank import PassageCandidate, rescore
from app.engine.text import analysis
from workers.searches.candidates import Candidates
from workers.searches.web_pages import WebPage

NOW = datetime(2024, 5, 6, tzinfo=UTC)
TEXT = "A clutch of the barn owl holds four to seven eggs."
QUESTION = "How many eggs does a barn owl lay in a clutch?"


def settings(**more: Any) -> Settings:
    return Settings(
        database_url="postgresql://nobody@127.0.0.1:1/none",
        redis_url="redis://127.0.0.1:1/0",
        secret_key="x" * 32,
        embeddings_packaged=False,
        **more,
    )


@dataclass
class Work:
    """Stands for an attempt: notes its stages."""

    settings: Settings = field(default_factory=settings)
    seconds_left: float = 60.0
    stages: list[str] = field(default_factory=list)
    checks: int = 0

    def check(self) -> None:
        self.checks += 1

    def stage(self, name: str, percent: int, **facts: Any) -> None:
        self.stages.append(name)

    def report(self, stage: str, percent: int, **facts: Any) -> None:
        """Nobody watches."""


def query(text: str = QUESTION) -> Query:
    return parse(text, ["en"], "en")


def snapshot(url: str = "https://birds.example.org/owls", text: str = TEXT, **facts: Any) -> Any:
    return Snapshot(
        id=uuid4(),
        url=url,
        title="Owls",
        text=text,
        content_hash=f"sha256:{text}",
        language="en",
        published_at=facts.pop("published_at", None),
        facts=facts,
        fetched_at=NOW,
    )


def web_page(kept: Snapshot, *engines: str, stale: bool = False) -> WebPage:
    copy = Copy(kept.url, kept.id, [(0, len(kept.text), [])], None, None, True)
    return WebPage(copy, kept, frozenset(engines), stale)


def located(kept: Snapshot, id: int = 1) -> LocatedPassage:
    return LocatedPassage(
        id=id,
        corpus_id=UUID(int=7),
        source_id=UUID(int=8),
        snapshot_id=kept.id,
        start_at=0,
        end_at=len(kept.text),
        headings=[],
        text=kept.text,
        url=kept.url,
        title=kept.title,
        language="en",
        outdated=False,
        published_at=kept.published_at,
        fetched_at=NOW,
    )


def passage(id: int = 1, text: str = TEXT, language: str | None = "en") -> IndexedPassage:
    return IndexedPassage(id=id, source_id="s", text=text, title="Owls", language=language)


def candidates(kept: Snapshot) -> Candidates:
    """One source with one passage, ranked for the question."""
    place = located(kept)
    found = retrieval.indexed(place)
    terms = Counter(analysis.terms(found.indexed_text, "en"))
    stats = IndexStats(1_000, 20.0, dict.fromkeys(terms, 5))
    ranked = rescore(query(), [PassageCandidate(found, 12.0)], stats, 10)
    return Candidates(ranked, {place.id: place}, {kept.id: kept}, stats, hits=1)
