"""A campaign with one run and one record, decided as a test wants it; no page is read for it."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from app.core import amounts, db, ids
from app.core.config.settings import Settings
from app.core.db import Tx
from app.domains.campaigns.campaigns import service
from app.domains.campaigns.campaigns.disputes import service as disputes
from app.domains.campaigns.campaigns.disputes.store import Dispute
from app.domains.campaigns.campaigns.records import record_store, version_store
from app.domains.campaigns.campaigns.runs import decisions
from app.domains.campaigns.campaigns.store import Campaign
from app.domains.campaigns.reviews import service as reviews
from app.domains.campaigns.reviews.subjects import Decision
from app.domains.campaigns.rewards import shares
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger.store import LedgerAccount
from tests import builders
from tests.integration.rewards.runs import Vote

TOKEN = "USD"
REASON = "The title is that of another page, see its first line."
WINDOW_HOURS = 72.0
RUN = """
    insert into campaign_runs (id, campaign_id, tick, state, hold_id, reserved, open_records,
                               records_most, deadline_at)
    values (%(id)s, %(campaign_id)s, now(), 'reviewing', %(id)s, %(reserved)s, 1, 1,
            now() + interval '1 day')
    """
DECIDED = """
    update reviews set state = %(state)s, decided_at = now() where record_id = %(record_id)s
    """
RECORD_STATE = "select state from campaign_records where id = %(id)s"
JOBS = """
    select id from jobs where kind = any(%(kinds)s) and state in ('queued', 'dispatched')
    order by id
    """


@dataclass
class Case:
    """Ten dollars for ten records, of which one was found; a funder and a contributor."""

    settings: Settings
    funder: UUID
    maker: UUID | None
    campaign: Campaign
    run_id: UUID
    record_id: UUID
    voter: UUID

    @classmethod
    def of(cls, settings: Settings, *, built_in: bool = False) -> "Case":
        with db.transaction() as tx:
            funder = builders.account(tx, "funder@example.org")
            maker = None if built_in else builders.account(tx, "maker@example.org")
            voter = builders.account(tx, "voter@example.org")
            builders.credit(tx, funder, "10")
        return cls.between(settings, funder, maker, voter)

    @classmethod
    def between(cls, settings: Settings, funder: UUID, maker: UUID | None, voter: UUID) -> "Case":
        """The funder has the credit for it."""
        with db.transaction() as tx:
            campaign = funded_campaign(tx, funder)
            run_id = _run(tx, campaign)
            record_id = _record(tx, campaign, run_id, maker)
        return cls(settings, funder, maker, campaign, run_id, record_id, voter)

    def decide(self, state: str = "accepted") -> None:
        decision = Decision(
            record_id=self.record_id,
            version=1,
            state=state,
            reasons=[] if state == "accepted" else [{"category": "other", "reason": "No."}],
            votes=1,
            independent_votes=1,
            validated_by=[],
            own_check=None,
        )
        with db.transaction() as tx:
            tx.execute(DECIDED, {"state": state, "record_id": self.record_id})
            decisions.decided(tx, decision)

    def close_run(self, *votes: Vote) -> None:
        """What is left returns, and the pool is shared."""
        with db.transaction() as tx:
            escrow = LedgerAccount(self.campaign.id, "escrow")
            ledger.release(tx, self.run_id, f"release:{self.run_id}", "release", escrow)
        with db.transaction() as tx:
            shares.share_pool(tx, shares.RunPool(self.campaign.id, self.run_id, TOKEN), votes)

    def dispute(self, account_id: UUID | None = None) -> Dispute:
        with db.transaction() as tx:
            return self.dispute_in(tx, account_id)

    def dispute_in(self, tx: Tx, account_id: UUID | None = None) -> Dispute:
        return disputes.dispute(
            tx,
            account_id or self.funder,
            self.campaign.id,
            self.record_id,
            category="wrong_value",
            reason=REASON,
            window_hours=WINDOW_HOURS,
        )

    def appeal(self, account_id: UUID | None = None) -> Dispute:
        opener = account_id or self.maker
        assert opener is not None
        with db.transaction() as tx:
            return disputes.appeal(
                tx, opener, self.record_id, reason=REASON, window_hours=WINDOW_HOURS
            )

    def judged(self, upheld: bool) -> None:
        """As the votes of a dispute decide it; then do what follows."""
        with db.transaction() as tx:
            disputes.decided(tx, self.record_id, 1, upheld)
        self.work()

    def work(self) -> None:
        kinds = [disputes.SETTLE.name, disputes.SWEEP.name]
        with db.reading() as reader:
            due = [row[0] for row in reader.execute(JOBS, {"kinds": kinds}).fetchall()]
        builders.run(self.settings, due)

    def balance(self, owner: UUID | None, kind: str) -> str:
        assert owner is not None
        with db.reading() as reader:
            return amounts.text(ledger.balance(reader, LedgerAccount(owner, kind), TOKEN))

    def states(self) -> tuple[str, str]:
        """Of the record and of its version."""
        with db.reading() as reader:
            version = version_store.by_number(reader, self.record_id, 1)
            state = db.value(reader, RECORD_STATE, id=self.record_id)
        assert version is not None
        return state, version.state

    def found(self) -> Dispute:
        """The only dispute there is."""
        with db.reading() as reader:
            (found,) = disputes.of_campaign(reader, self.funder, self.campaign.id, None, 10)
        return found

    def rival(self, state: str) -> UUID:
        """Another record that says the same, which came when this one had been rejected."""
        with db.transaction() as tx:
            other = _new(self.campaign, self.run_id)
            assert record_store.insert(tx, other, state)
        return other.id

    def pass_hours(self, hours: int) -> None:
        """As if so many hours had passed since."""
        with db.transaction() as tx:
            for sql in (
                "update reward_awards set awarded_at = awarded_at - make_interval(hours => %s)",
                "update campaign_versions set decided_at = decided_at - make_interval(hours => %s)",
                "update record_disputes set opened_at = opened_at - make_interval(hours => %s)",
            ):
                tx.execute(sql, [hours])


def funded_campaign(tx: Tx, funder: UUID) -> Campaign:
    """Ten dollars for ten records."""
    body: dict[str, Any] = {
        "name": "Owls",
        "objective": "owls and how they live",
        "data_requirements": {
            "sources": ["web"],
            "freshness_seconds": 86_400,
            "records_target": 10,
        },
        "reward_budget": {"token": TOKEN, "amount": Decimal(10)},
        "validation": {"min_validators": 2, "require_citations": True},
        "schema": {"type": "object", "properties": {"title": {"type": "string"}}},
    }
    campaign = service.create(tx, funder, body)
    return service.fund(tx, funder, campaign.id, Decimal(10))


def _run(tx: Tx, campaign: Campaign) -> UUID:
    id = ids.new()
    tx.execute(RUN, {"id": id, "campaign_id": campaign.id, "reserved": campaign.reward})
    escrow, reserved = LedgerAccount(campaign.id, "escrow"), LedgerAccount(campaign.id, "reserved")
    reward = campaign.reward
    ledger.hold(tx, id, f"reserve:{id}", "reserve", TOKEN, escrow, reserved, reward)
    return id


def _record(tx: Tx, campaign: Campaign, run_id: UUID, maker: UUID | None) -> UUID:
    new = _new(campaign, run_id)
    record_store.insert(tx, new)
    version_store.insert(
        tx,
        record_id=new.id,
        version=1,
        run_id=run_id,
        data={"title": "Owls"},
        provenance=[],
        snapshot_id=None,
        validators={},
        contributor_id=maker,
    )
    reviews.open(
        tx,
        new.id,
        1,
        payer_id=campaign.account_id,
        k=campaign.k,
        contributor_id=maker,
        deadline_at=datetime.now(UTC) + timedelta(days=1),
    )
    return new.id


def _new(campaign: Campaign, run_id: UUID) -> record_store.New:
    return record_store.New(
        id=ids.new(),
        campaign_id=campaign.id,
        run_id=run_id,
        url="https://owls.example.org/",
        key=b"owls",
        grams=[1],
        marks={},
    )
