"""Judgement of a campaign's records: what is judged, and what follows from it."""

from typing import Any, Final
from uuid import UUID

from app.core.db import Reader, Tx
from app.core.http.fields import rfc3339
from app.domains.campaigns.campaigns import store
from app.domains.campaigns.campaigns.records import citations, record_store, version_store
from app.domains.campaigns.campaigns.records.version_store import Version
from app.domains.campaigns.campaigns.runs import candidates, pages, run_end, run_store
from app.domains.campaigns.campaigns.store import Campaign
from app.domains.campaigns.reviews.subjects import Decision
from app.domains.campaigns.rewards import shares
from app.domains.library.passages import snapshots
from app.domains.library.passages.store import Snapshot
from app.engine.judging import sameness

BUDGET: Final = {
    "category": "other",
    "reason": "What the run had reserved was spent; a later run may find the record again.",
}


def load(reader: Reader, record_id: UUID, version: int) -> dict[str, Any] | None:
    """A version as those see it who judge it. None: it is gone, or its text is."""
    judged = version_store.by_number(reader, record_id, version)
    campaign = store.by_id(reader, judged.campaign_id) if judged else None
    if judged is None or campaign is None or judged.snapshot_id is None:
        return None
    snapshot = snapshots.find(reader, judged.snapshot_id)
    return {
        "objective": campaign.body["objective"],
        "schema": campaign.body["schema"],
        "require_citations": campaign.body["validation"]["require_citations"],
        "record": {"data": judged.data, "provenance": citations.judged(judged.provenance)},
        "page": page_of(snapshot),
    }


def page_of(snapshot: Snapshot) -> dict[str, Any]:
    """The one text that all quotes are looked for in."""
    return {
        "url": snapshot.url,
        "title": snapshot.title,
        "text": snapshot.text,
        "language": snapshot.language,
        "content_hash": snapshot.content_hash,
        "fetched_at": rfc3339(snapshot.fetched_at),
        "structured": [],
        "visible_end": snapshot.facts.get("visible_end", len(snapshot.text)),
    }


def decided(tx: Tx, decision: Decision) -> None:
    """In the transaction that decides a record: it is paid, or says why it is not."""
    judged = version_store.by_number(tx, decision.record_id, decision.version)
    campaign = store.by_id(tx, judged.campaign_id) if judged else None
    if judged is None or campaign is None:
        return
    if not _decide(tx, decision, ("candidate",), decision.state):
        return
    run_store.count(tx, judged.run_id, records=-1)
    if decision.state == "accepted" and _pay(tx, campaign, judged):
        _accept(tx, campaign, judged)
    else:
        _refuse(tx, campaign, judged, decision)
    run_end.close_if_done(tx, judged.run_id)


def _decide(
    tx: Tx, decision: Decision, since: tuple[str, ...], state: str, *more: dict[str, Any]
) -> bool:
    return version_store.decide(
        tx,
        decision.record_id,
        decision.version,
        since,
        state,
        reasons=[*decision.reasons, *more],
        validated_by=decision.validated_by,
        independent_votes=decision.independent_votes,
    )


def _pay(tx: Tx, campaign: Campaign, judged: Version) -> bool:
    """False: the run has nothing left for it."""
    run = run_store.lock(tx, judged.run_id)
    if run is None or run.hold_id is None:
        return False
    return shares.accept(tx, payable(campaign, judged, judged.contributor_id), run.hold_id)


def payable(
    campaign: Campaign, judged: Version, contributor_id: UUID | None
) -> shares.AcceptedVersion:
    return shares.AcceptedVersion(
        campaign_id=campaign.id,
        run_id=judged.run_id,
        record_id=judged.record_id,
        version=judged.version,
        token=campaign.token,
        reward=campaign.reward,
        contributor_id=contributor_id,
        refreshed=judged.version > 1,
    )


def _accept(tx: Tx, campaign: Campaign, judged: Version) -> None:
    candidates.confirm(tx, campaign, judged.record_id, judged.version)
    if judged.version > 1:
        known_as = sameness.identity(candidates.plan_of(campaign), judged.data, judged.url)
        marks = {name: list(values) for name, values in known_as.marks.items()}
        record_store.rename(tx, judged.record_id, known_as.key, list(known_as.grams), marks)


def _refuse(tx: Tx, campaign: Campaign, judged: Version, decision: Decision) -> None:
    """Keeps a record out; its room in the run is left to others."""
    if decision.state == "accepted":
        _decide(tx, decision, ("accepted",), "unresolved", BUDGET)
    elif judged.version == 1:
        run_store.count(tx, judged.run_id, taken=-1)
    state = "unresolved" if decision.state == "accepted" else decision.state
    record_store.refuse(tx, judged.record_id, judged.version, ("candidate",), state)
    if state == "rejected":
        pages.rejected(tx, campaign, judged)
