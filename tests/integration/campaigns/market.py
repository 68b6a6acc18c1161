"""A campaign over a site on loopback: what its owner does, and what workers do, in this process."""

from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from typing import Any
from uuid import UUID

import psycopg

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.http.fields import RowView
from app.core.ids import Noun
from app.core.redis import events
from app.domains.campaigns.campaigns import presentation, service
from app.domains.campaigns.campaigns.records import record_store
from app.domains.campaigns.campaigns.runs import decisions, run_store
from app.domains.campaigns.campaigns.store import Campaign
from app.domains.campaigns.reviews.subjects import Decision
from app.domains.money.ledger import audit
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger.store import LedgerAccount
from app.domains.queue.jobs import schedules
from tests import builders
from tests.internet import Internet
from workers.queue.runner import Runner

TOKEN = "USD"
SCHEMA = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "summary": {"type": "string"}},
    "required": ["title"],
}
DUE = """
    select id from jobs where queue in ('campaigns', 'extraction', 'rendering') and run_at <= now()
      and state in ('queued', 'dispatched') order by priority, id limit 1
    """
UNDECIDED = """
    select record_id, version from campaign_versions where state = 'candidate' order by record_id
    """
OWLS = (
    "Barn owls lay their eggs in May. They feed the young for eight weeks with mice and voles.",
    "Tawny owls nest in old trees. They call at night through all of the winter and spring.",
    "Snowy owls live in the north. They hunt lemmings by day and move south in hard years.",
    "Little owls sit on posts. They eat beetles and worms and are awake in the afternoon.",
)


@dataclass
class Market:
    """One campaign at a time, and those who work for it."""

    settings: Settings
    site: Internet
    account_id: UUID

    @classmethod
    def over(cls, settings: Settings, site: Internet, credit: str = "100") -> "Market":
        allowed = f"127.0.0.1:{site.port},localhost:{site.port}"
        with db.transaction() as tx:
            account_id = builders.account(tx)
            builders.credit(tx, account_id, credit)
        settings = site.configured(
            settings, "searxng", extract_fetch_allow=allowed, fetch_gap_seconds=0.0
        )
        return cls(settings, site, account_id)

    def publish(self, *texts: str) -> list[str]:
        """Pages of the site, which state their text, and which the engine returns in this order."""
        urls = [
            self.site.page(f"/{n}", text, head=f'<meta name=description content="{text}">')
            for n, text in enumerate(texts)
        ]
        self.site.searxng(*urls)
        return urls

    def create(self, *, target: int = 2, amount: str = "2", **more: Any) -> Campaign:
        requirements = {
            "sources": more.pop("sources", ["web"]),
            "freshness_seconds": more.pop("freshness_seconds", 86_400),
            "records_target": target,
        }
        body = {
            "name": "Owls",
            "objective": "owls and how they live",
            "data_requirements": requirements,
            "reward_budget": {"token": TOKEN, "amount": Decimal(amount)},
            "validation": {"min_validators": 2, "require_citations": True},
            "schema": SCHEMA,
            **more,
        }
        with db.transaction() as tx:
            return service.create(tx, self.account_id, body)

    def funded(self, **wanted: Any) -> Campaign:
        campaign = self.create(**wanted)
        return self.fund(campaign, wanted.get("amount", "2"))

    def fund(self, campaign: Campaign, amount: str) -> Campaign:
        with db.transaction() as tx:
            return service.fund(tx, self.account_id, campaign.id, Decimal(amount))

    def act(self, campaign: Campaign, name: str) -> Campaign:
        with db.transaction() as tx:
            moved: Campaign = getattr(service, name)(tx, self.account_id, campaign.id)
            return moved

    @staticmethod
    def id(campaign: Campaign) -> str:
        return ids.public(Noun.CAMPAIGN, campaign.id)

    def tick(self) -> None:
        """Let the scheduler look once."""
        with db.transaction() as tx:
            schedules.tick(tx)

    def tick_again(self) -> None:
        """Let the next tick of each campaign be due now."""
        with db.transaction() as tx:
            tx.execute("update schedules set next_tick = now() where kind = 'campaigns.run'")
        self.tick()

    def work(self, most: int = 200) -> int:
        """Do the due jobs of campaigns; how many."""
        publisher = events.Publisher(events.connect(self.settings.redis_url))
        runner = Runner(self.settings, "w:1:1", publisher)
        for done in range(most):
            with db.reading() as reader:
                id = db.value(reader, DUE)
            if id is None:
                return done
            runner.run([id])
        return most

    def poor(self) -> Campaign:
        """A campaign whose run has all of its money, for one record that a node has found."""
        campaign = self.create(target=4, amount="2")
        self.fund(campaign, "0.5")
        self.collect()
        with db.transaction() as tx:
            tx.execute("update campaign_versions set contributor_id = %s", (self.account_id,))
        return campaign

    def collect(self) -> None:
        """A run from its tick until all of its pages are read."""
        self.tick()
        self.work()

    def with_one_page(self) -> Campaign:
        """A campaign whose one page is read."""
        self.publish(OWLS[0])
        campaign = self.funded(target=2, amount="2")
        self.collect()
        return campaign

    def undecided(self) -> list[tuple[UUID, int]]:
        with db.reading() as reader:
            return reader.execute(UNDECIDED).fetchall()

    def decide(self, state: str = "accepted", most: int = 100, votes: int = 0) -> None:
        """Judge what is open, as the votes or our own checks would; then do what follows."""
        for record_id, version in self.undecided()[:most]:
            decision = Decision(
                record_id=record_id,
                version=version,
                state=state,
                reasons=[] if state == "accepted" else [{"category": "other", "reason": "No."}],
                votes=votes,
                independent_votes=votes,
                validated_by=[{"kind": "built_in", "check": "quotes", "verdict": "accept"}],
                own_check=None,
            )
            with db.transaction() as tx:
                decisions.decided(tx, decision)
        self.work()

    def now(self, campaign: Campaign) -> Campaign:
        with db.reading() as reader:
            return service.find(reader, self.account_id, campaign.id)

    def runs(self, campaign: Campaign) -> list[dict[str, Any]]:
        """As their owner reads them, newest first."""
        with db.reading() as reader:
            rows = run_store.page(reader, campaign.id, None, 50)
        return [shown(row, presentation.run(row)) for row in rows]

    def records(self, campaign: Campaign, state: str | None = "accepted") -> list[dict[str, Any]]:
        with db.reading() as reader:
            rows = record_store.page(reader, campaign.id, state=state, before=None, most=100)
        return [shown(row, presentation.record(row, campaign.body["schema"])) for row in rows]

    def balance(self, owner: UUID, kind: str) -> Decimal:
        with db.reading() as reader:
            return ledger.balance(reader, LedgerAccount(owner, kind), TOKEN)

    @property
    def credit(self) -> Decimal:
        return self.balance(self.account_id, "credit")

    def patient(self, seconds: float) -> "Market":
        return replace(
            self, settings=replace(self.settings, campaign_node_patience_seconds=seconds)
        )


def assert_the_books_add_up(settings: Settings) -> None:
    with psycopg.connect(settings.database_url) as connection:
        assert audit.broken(connection) == {}  # type: ignore[arg-type]


def shown(row: Any, view: RowView) -> dict[str, Any]:
    """A row as its owner sees it, by names."""
    computed = {name: value for name, value in vars(view).items() if name != "_row"}
    return {**asdict(row), **computed}
