"""Handlers of judging: our own check of a record, reviews that wait too long, gold items, and what
follows from a suspension."""

import time
from typing import Any, Final
from uuid import UUID

from app.core import db, log
from app.core.config.settings import Settings
from app.core.db import Tx
from app.domains.campaigns.reviews import gold_items, store, subjects
from app.domains.campaigns.reviews import service as reviews
from app.domains.campaigns.reviews.gold_items import MAKE
from app.domains.campaigns.reviews.reputations import SUSPEND
from app.domains.campaigns.reviews.service import Patience
from app.domains.campaigns.reviews.store import OLDEST
from app.domains.library.passages.store import LocatedPassage, located_passages
from app.domains.queue.jobs.service import Finish
from app.engine.extraction.records.reading_page import Family
from app.engine.extraction.records.readings import Entity
from app.engine.extraction.schema.schema import Plan, plan
from app.engine.extraction.values.typed import Context
from app.engine.judging import checks, kept_page, second_extraction, second_source
from app.engine.judging.checks import RecordChecks, Verdict
from app.engine.judging.second_extraction import Reread
from app.engine.pages.page import PageUnreadable
from app.engine.pages.site.registrable import domain_of_url
from app.engine.sandbox.documents import Extraction
from app.engine.sandbox.extraction_reader import extraction_reader
from app.engine.sandbox.reader import UNHURRIED
from app.engine.search.query import parse
from workers.queue.attempt import Attempt, handles
from workers.searches import indexes

logger = log.get(__name__)

_MOST_PASSAGES: Final = 20
_MOST_GOLD: Final = 50
_SLICE_SECONDS: Final = 60.0


@handles(reviews.CHECK)
def check(attempt: Attempt) -> Finish:
    """Look at a record ourselves, before others do."""
    record_id, version = UUID(attempt.payload["record_id"]), attempt.payload["version"]
    attempt.stage("loading", 0)
    with db.reading() as reader:
        whole = subjects.SUBJECT.only.load(reader, record_id, version)
    if whole is None:
        return lambda tx: reviews.gone(tx, record_id, version)
    attempt.stage("checking", 10)
    outcome = checked(attempt.settings, whole)
    patience = patience_of(attempt.settings)

    def write(tx: Tx) -> None:
        reviews.checked(tx, record_id, version, outcome)
        reviews.attend(tx, record_id, version, patience)

    return write


def checked(settings: Settings, whole: dict[str, Any]) -> RecordChecks:
    """The verdicts of our checks: quotes, another reading, if need be another source."""
    wanted, record, page = plan(whole["schema"]), whole["record"], whole["page"]
    quotes = checks.quotes(
        wanted,
        record["data"],
        record["provenance"],
        page["text"],
        Context(page["url"], page.get("language")),
        every=bool(whole.get("require_citations")),
    )
    read = Reread(_readings(whole), page.get("title"), page["url"])
    second = second_extraction.reread(wanted, record, page["text"], read)
    source: Verdict = "silent"
    if quotes.verdict == "agreed" and second.verdict == "silent":
        source = _second_source(settings, wanted, record["data"], page)
    contradicted = (*quotes.contradicted, *second.contradicted)
    return RecordChecks(quotes.verdict, second.verdict, source, contradicted)


def _readings(whole: dict[str, Any]) -> dict[Family, tuple[Entity, ...]]:
    """The entities that each family of methods that is another opinion finds on the kept page."""
    document = kept_page.document(whole["page"])
    readings = {}
    for family in kept_page.families(whole["record"]["provenance"]):
        wanted = Extraction(whole["schema"], family=family)
        try:
            found = extraction_reader().extract(document, UNHURRIED, wanted)
        except PageUnreadable as unreadable:
            logger.warning("not read a second time", reason=unreadable.reason.value)
            continue
        readings[family] = found.records.readings.entities
    return readings


def _second_source(
    settings: Settings, wanted: Plan, data: dict[str, Any], page: dict[str, Any]
) -> Verdict:
    """Checks whether a page of another owner states the same. Absence proves nothing."""
    question = second_source.question(wanted, data)
    if question is None:
        return "silent"
    language = page.get("language")
    query = parse(question, [language] if language else [])
    found = indexes.find(settings, query, _MOST_PASSAGES)
    with db.reading() as reader:
        located = located_passages(reader, [hit.passage_id for hit in found.hits])
    return "agreed" if any(_states(wanted, data, page, each) for each in located) else "silent"


def _states(
    wanted: Plan, data: dict[str, Any], page: dict[str, Any], passage: LocatedPassage
) -> bool:
    other = domain_of_url(passage.url)
    if other is None or other == domain_of_url(page["url"]):
        return False
    return second_source.states(wanted, data, passage.text) and not second_source.is_copy(
        passage.text, page["text"]
    )


def patience_of(settings: Settings) -> Patience:
    return Patience(settings.review_alone_seconds, settings.review_open_seconds)


@handles(reviews.ATTEND)
def attend(attempt: Attempt) -> Finish:
    """Decide what has waited for votes long enough, each in a transaction of its own."""
    patience, last = patience_of(attempt.settings), OLDEST
    until = time.monotonic() + _SLICE_SECONDS
    while time.monotonic() < until:
        with db.reading() as reader:
            waiting = reviews.unattended(reader, patience, last)
        for each in waiting:
            attempt.check()
            with attempt.step() as tx:
                reviews.attend(tx, each.record_id, each.version, patience)
            last = each
        if not waiting:
            break
    return lambda _tx: None


@handles(SUSPEND)
def suspend(attempt: Attempt) -> Finish:
    """Give back what the account's nodes hold, and tell whoever holds its rewards."""
    account_id = UUID(attempt.payload["account_id"])
    return lambda tx: reviews.consequences(tx, account_id)


@handles(MAKE)
def make_gold(attempt: Attempt) -> Finish:
    """Make items with a known answer of records decided a while ago."""
    with db.reading() as reader:
        wanting = store.without_gold(reader, attempt.settings.gold_after_seconds, _MOST_GOLD)
    for review in wanting:
        attempt.check()
        with db.reading() as reader:
            made = gold_items.made_of(reader, review)
        with attempt.step() as tx:
            gold_items.keep(tx, made)
    return lambda _tx: None
