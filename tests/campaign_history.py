"""A campaign of three weeks with its runs, records and money: its past is written into its rows."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from app.core import db, ids
from app.core.db import Tx
from app.core.ids import Noun
from app.domains.campaigns.campaigns import service, store
from app.domains.campaigns.campaigns.records import record_store, version_store
from app.domains.campaigns.campaigns.store import Campaign
from app.domains.campaigns.rewards import shares
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger.store import LedgerAccount
from tests import builders
from tests.databases import become_owner

TOKEN = "USD"
URL = "https://owls.example.org/barn-owls"
PAGE = """# Barn owls

Barn owls lay their eggs in May. They feed the young for eight weeks with mice and voles.

The brood has four to seven eggs, laid every second day.
"""
DISPUTE = {
    "category": "wrong_value",
    "reason": "The brood is that of another species, see the second table.",
}
SCHEMA = {
    "type": "object",
    "properties": {
        "species": {"type": "string"},
        "brood": {"type": "string"},
        "url": {"type": "string", "format": "uri"},
    },
    "required": ["species"],
}
RUN = """
    insert into campaign_runs (id, campaign_id, tick, state, hold_id, reserved, spent, report,
                               deadline_at, created_at, ended_at)
    values (%(id)s, %(campaign_id)s, %(at)s, %(state)s, %(hold_id)s, %(reserved)s, %(spent)s,
            %(report)s, %(at)s + interval '7 days', %(at)s,
            case when %(state)s in ('closed', 'skipped') then %(at)s + interval '9 minutes' end)
    """
# Nothing of the books can be changed, but by who may switch that off.
MOVED = """
    update ledger_transfers set posted_at = %(at)s
    where posted_at > now() - interval '1 hour' and id in (
        select transfer_id from ledger_entries
        join ledger_accounts on ledger_accounts.id = account_id where owner = %(campaign_id)s)
    """
JUDGED = """
    update campaign_records
    set state = %(state)s, verified_at = %(at)s, fresh_until = %(at)s + interval '30 days',
        due_at = %(at)s + interval '27 days', created_at = %(at)s
    where id = %(id)s
    """
VOTED = "update campaign_versions set independent_votes = 2 where record_id = %(id)s"


@dataclass
class History:
    """Money and records as they would have come, day by day; `day` 0 is today."""

    funder: UUID
    maker: UUID
    campaign: Campaign
    run_id: UUID = field(default_factory=ids.new)
    accepted: list[str] = field(default_factory=list)

    @classmethod
    def begun(cls, funder: UUID, *, maker: UUID | None = None, **more: Any) -> "History":
        """Eight dollars for forty records, and nothing done yet."""
        body = {
            "name": "Barn owls of Europe",
            "objective": "barn owls, how they breed and what they eat",
            "data_requirements": {
                "sources": ["web", "social"],
                "freshness_seconds": 30 * 86_400,
                "records_target": 40,
            },
            "reward_budget": {"token": TOKEN, "amount": Decimal(8)},
            "validation": {"min_validators": 2, "require_citations": True},
            "schema": SCHEMA,
            "cadence_seconds": 7 * 86_400,
            **more,
        }
        if not _is_stored():
            builders.indexed_page(URL, PAGE)
        with db.transaction() as tx:
            maker = maker or builders.account(tx, f"{ids.new()}@example.org")
            campaign = service.create(tx, funder, body)
        return cls(funder, maker, campaign)

    @property
    def id(self) -> str:
        return ids.public(Noun.CAMPAIGN, self.campaign.id)

    @staticmethod
    def day(days_ago: float) -> datetime:
        return datetime.now(UTC) - timedelta(days=days_ago)

    def fund(self, days_ago: float, amount: str) -> None:
        with db.transaction() as tx:
            builders.credit(tx, self.funder, amount)
            self.campaign = service.fund(tx, self.funder, self.campaign.id, Decimal(amount))
            tx.execute("update schedules set next_tick = now() + interval '30 hours'")
            self._past(tx, days_ago)

    def run(
        self,
        days_ago: float,
        *,
        reserved: str,
        accepted: int,
        rejected: int = 0,
        closed: bool = True,
    ) -> None:
        """A run that accepted so many records, each of which pays its contributor and the votes."""
        self.run_id = ids.new()
        escrow, held = (
            LedgerAccount(self.campaign.id, "escrow"),
            LedgerAccount(self.campaign.id, "reserved"),
        )
        with db.transaction() as tx:
            ledger.hold(
                tx,
                self.run_id,
                f"reserve:{self.run_id}",
                "reserve",
                TOKEN,
                escrow,
                held,
                Decimal(reserved),
            )
            self._note(tx, days_ago, reserved, accepted, rejected, closed)
            self._past(tx, days_ago)
        for _ in range(accepted):
            self._accept(days_ago - 0.1)
        with db.transaction() as tx:
            for _ in range(rejected):
                self._record(
                    tx,
                    "rejected",
                    days_ago,
                    [{"category": "not_found", "reason": "The quote is not on the page."}],
                )
            if closed:
                ledger.release(tx, self.run_id, f"release:{self.run_id}", "release", escrow)
            self._past(tx, days_ago - 0.2)

    def move(self, state: str) -> None:
        with db.transaction() as tx:
            store.move(tx, self.campaign.id, ("active",), state)

    def _accept(self, days_ago: float) -> None:
        with db.transaction() as tx:
            record_id = self._record(tx, "accepted", days_ago, [])
            shares.accept(
                tx,
                shares.AcceptedVersion(
                    campaign_id=self.campaign.id,
                    run_id=self.run_id,
                    record_id=record_id,
                    version=1,
                    token=TOKEN,
                    reward=self.campaign.reward,
                    contributor_id=self.maker,
                    refreshed=False,
                ),
                self.run_id,
            )
            self.accepted.append(ids.public(Noun.CAMPAIGN_RECORD, record_id))
            self._past(tx, days_ago)

    def _record(self, tx: Tx, state: str, days_ago: float, reasons: list[dict[str, Any]]) -> UUID:
        id = ids.new()
        new = record_store.New(
            id=id,
            campaign_id=self.campaign.id,
            run_id=self.run_id,
            url=URL,
            key=id.bytes,
            grams=[],
            marks={},
        )
        record_store.insert(tx, new)
        snapshot = tx.execute("select id, text from snapshots where url = %s", [URL]).fetchone()
        assert snapshot is not None
        version_store.insert(
            tx,
            record_id=id,
            version=1,
            run_id=self.run_id,
            data={"species": "Barn owls", "brood": "four to seven eggs"},
            provenance=[
                quoted(snapshot[1], "/species", "Barn owls"),
                quoted(snapshot[1], "/brood", "four to seven eggs"),
            ],
            snapshot_id=snapshot[0],
            validators={},
            contributor_id=self.maker,
            state=state,
            reasons=reasons,
        )
        tx.execute(JUDGED, {"id": id, "state": state, "at": self.day(days_ago)})
        tx.execute(VOTED, {"id": id})
        return id

    def _note(
        self, tx: Tx, days_ago: float, reserved: str, accepted: int, rejected: int, closed: bool
    ) -> None:
        report = {
            "pages": accepted + rejected + 2,
            "accepted": accepted,
            "rejected": rejected,
            "candidates": accepted + rejected,
            "unserved_kinds": ["social"],
            "outcomes": {"read": accepted + rejected + 2},
        }
        tx.execute(
            RUN,
            {
                "id": self.run_id,
                "campaign_id": self.campaign.id,
                "at": self.day(days_ago),
                "state": "closed" if closed else "reviewing",
                "hold_id": self.run_id,
                "reserved": Decimal(reserved),
                "spent": self.campaign.reward * accepted if closed else 0,
                "report": Jsonb(report),
            },
        )

    def _past(self, tx: Tx, days_ago: float) -> None:
        become_owner(tx)
        tx.execute("set local session_replication_role = replica")
        tx.execute(MOVED, {"at": self.day(days_ago), "campaign_id": self.campaign.id})
        tx.execute("set local session_replication_role = origin")


def quoted(text: str, pointer: str, quote: str) -> dict[str, Any]:
    """As provenance has it."""
    start = text.index(quote)
    end = start + len(quote)
    return {
        "pointer": pointer,
        "kind": "visible",
        "quote": quote,
        "start": start,
        "end": end,
        "prefix": text[max(0, start - 60) : start],
        "suffix": text[end : end + 60],
        "selector": None,
        "json_pointer": None,
        "transform": "none",
        "match": "exact",
        "confidence": 0.9,
    }


def three_weeks(funder: UUID) -> History:
    """Two runs, a top-up, a third one, and one that is open."""
    history = History.begun(funder, ends_at=datetime.now(UTC) + timedelta(days=10))
    history.fund(20, "8")
    history.run(20, reserved="4", accepted=4, rejected=1)
    history.run(13, reserved="4", accepted=6, rejected=2)
    history.fund(9, "4")
    history.run(6, reserved="4", accepted=9)
    history.run(0.2, reserved="3", accepted=2, closed=False)
    return history


def _is_stored() -> bool:
    with db.reading() as reader:
        return bool(
            db.value(reader, "select exists (select from snapshots where url = %(url)s)", url=URL)
        )
