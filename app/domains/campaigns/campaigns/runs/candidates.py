"""Turns a page's records into candidates of a campaign: drops copies, has the rest judged.

Candidates of one campaign come one after the other: whoever adds some has locked the run. So two
pages with the same record give one candidate, and a copy that names it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from app.core import ids
from app.core.db import Tx
from app.domains.campaigns.campaigns import store
from app.domains.campaigns.campaigns.records import record_store, version_store
from app.domains.campaigns.campaigns.records.citations import CitedRecord
from app.domains.campaigns.campaigns.records.record_store import New
from app.domains.campaigns.campaigns.runs import page_store, run_store
from app.domains.campaigns.campaigns.runs.page_store import CampaignPage
from app.domains.campaigns.campaigns.runs.run_store import CampaignRun
from app.domains.campaigns.campaigns.store import Campaign
from app.domains.campaigns.reviews import service as reviews
from app.engine.extraction.schema.schema import Plan, plan
from app.engine.judging import sameness
from app.engine.judging.sameness import RecordIdentity

_MOST_ALIKE: Final = 20
COPY: Final = {"category": "duplicate", "reason": ""}
"""Why a copy is rejected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageStatement:
    url: str
    canonical: str | None = None
    validators: Mapping[str, Any]


def plan_of(campaign: Campaign) -> Plan:
    return plan(campaign.body["schema"])


def confirm(tx: Tx, campaign: Campaign, record_id: UUID, version: int) -> None:
    """Let a record be fresh from now on; when it is due follows from its id."""
    seconds = campaign.freshness_seconds
    spread = (record_id.int >> 16) % 1_000 / 1_000
    record_store.accept(tx, record_id, version, seconds=seconds, spread=spread)


def add(
    tx: Tx,
    page: CampaignPage,
    snapshot_id: UUID,
    reading: PageStatement,
    candidates: Sequence[CitedRecord],
    contributor_id: UUID | None,
) -> dict[str, int]:
    """Add the candidates of a page, as far as the run can pay for them; what became of them."""
    run, campaign = run_store.lock(tx, page.run_id), store.by_id(tx, page.campaign_id)
    if run is None or campaign is None or run.state != "collecting":
        return {}
    adding = _Adding(tx, campaign, run, page, snapshot_id, reading, contributor_id)
    for candidate in candidates:
        adding.add(candidate)
    counts = adding.counts
    page_store.count(tx, page.id, records=counts["candidates"], left_over=counts["left_over"])
    new, again = counts["candidates"], counts["versions"]
    run_store.count(tx, run.id, records=new + again, taken=new)
    return dict(counts)


class _Adding:
    def __init__(
        self,
        tx: Tx,
        campaign: Campaign,
        run: CampaignRun,
        page: CampaignPage,
        snapshot_id: UUID,
        reading: PageStatement,
        contributor_id: UUID | None,
    ) -> None:
        self._tx, self._campaign, self._run, self._page = tx, campaign, run, page
        self._snapshot_id, self._reading = snapshot_id, reading
        self._contributor_id = contributor_id
        self._plan = plan_of(campaign)
        self._due = set(page.due_ids)  # money is set aside for one version of each
        self.counts: Counter[str] = Counter(candidates=0, versions=0, left_over=0)

    def add(self, candidate: CitedRecord) -> None:
        """As a new version of the record that is due, as a copy, or as a candidate."""
        identity = sameness.identity(
            self._plan, candidate.data, self._reading.url, self._reading.canonical
        )
        known = self._alike(identity)
        if known in self._due:
            self._due.discard(known)
            self._again(known, candidate)
        elif known is not None:
            self._copy(known, identity, candidate)
        elif record_store.rejected_before(
            self._tx, self._campaign.id, identity.key, candidate.data
        ):
            self.counts["rejected_before"] += 1
        elif self._run.records_taken + self.counts["candidates"] >= self._run.records_most:
            self.counts["left_over"] += 1
        else:
            self._new(identity, candidate)

    def _alike(self, identity: RecordIdentity) -> UUID | None:
        rows = record_store.alike(
            self._tx, self._campaign.id, identity.key, list(identity.grams), _MOST_ALIKE
        )
        for row in rows:
            marks = {name: tuple(values) for name, values in row.marks.items()}
            if sameness.same(identity, RecordIdentity(row.key, frozenset(row.grams), marks)):
                return row.id
        return None

    def _again(self, record_id: UUID, candidate: CitedRecord) -> None:
        number = version_store.next_number(self._tx, record_id)
        self._version(record_id, number, candidate)
        self._open(record_id, number)
        self.counts["versions"] += 1

    def _copy(self, of: UUID, identity: RecordIdentity, candidate: CitedRecord) -> None:
        """It is kept, so that its contributor can see what it is a copy of."""
        new = self._row(identity)
        record_store.insert(self._tx, new, "rejected", of)
        self._version(new.id, 1, candidate, "rejected")
        self.counts["duplicates"] += 1

    def _new(self, identity: RecordIdentity, candidate: CitedRecord) -> None:
        new = self._row(identity)
        if not record_store.insert(self._tx, new):
            self.counts["duplicates"] += 1
            return
        self._version(new.id, 1, candidate)
        self._open(new.id, 1)
        self.counts["candidates"] += 1

    def _row(self, identity: RecordIdentity) -> New:
        return New(
            id=ids.new(),
            campaign_id=self._campaign.id,
            run_id=self._run.id,
            page_id=self._page.id,
            url=self._reading.url,
            key=identity.key,
            grams=list(identity.grams),
            marks={name: list(values) for name, values in identity.marks.items()},
        )

    def _version(
        self, record_id: UUID, number: int, candidate: CitedRecord, state: str = "candidate"
    ) -> None:
        reasons = [COPY] if state == "rejected" else []
        version_store.insert(
            self._tx,
            record_id=record_id,
            version=number,
            run_id=self._run.id,
            data=candidate.data,
            provenance=candidate.provenance,
            snapshot_id=self._snapshot_id,
            validators=dict(self._reading.validators),
            contributor_id=self._contributor_id,
            state=state,
            reasons=reasons,
        )

    def _open(self, record_id: UUID, number: int) -> None:
        reviews.open(
            self._tx,
            record_id,
            number,
            payer_id=self._campaign.account_id,
            k=self._campaign.k,
            contributor_id=self._contributor_id,
            overlooked_by=self._overlooked_by(),
            deadline_at=self._run.deadline_at,
        )

    def _overlooked_by(self) -> UUID | None:
        """The account that found nothing on the page before; for the first record found now."""
        before = self._page.first_reader
        if before is None or self.counts["candidates"]:
            return None
        found = version_store.is_found_by(
            self._tx, self._campaign.id, self._page.url, contributor_id=before
        )
        return None if found else before
