"""The results of reading campaigns: their state and money, runs, records with provenance, work."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from citegrid.transport.codec import ApiObject

ENDED: Final = frozenset({"completed", "ended", "cancelled"})


@dataclass(frozen=True, slots=True)
class DataRequirements:
    sources: tuple[str, ...]
    freshness: str
    records_target: int


@dataclass(frozen=True, slots=True)
class RewardBudget:
    token: str
    amount: Decimal


@dataclass(frozen=True, slots=True)
class CampaignValidation:
    min_validators: int
    require_citations: bool


@dataclass(frozen=True, slots=True)
class Forecast:
    """The forecast of how far the money goes; `runs_left` is None before the first run has
    closed.
    """

    runs_left: int | None
    records_left: int


@dataclass(frozen=True, slots=True)
class Campaign(ApiObject):
    """A campaign; what it was funded with is spent, reserved, refunded, or still available."""

    id: str
    name: str
    objective: str
    data_requirements: DataRequirements
    reward_budget: RewardBudget
    validation: CampaignValidation
    schema: Mapping[str, Any]
    cadence: str
    starts_at: datetime | None
    ends_at: datetime | None
    state: str
    reward_per_record: Decimal
    created_at: datetime
    ended_at: datetime | None
    fresh_accepted: int
    funded: Decimal
    available: Decimal
    reserved: Decimal
    spent: Decimal
    refunded: Decimal
    forecast: Forecast
    next_run_at: datetime | None

    @property
    def ended(self) -> bool:
        """True if nothing moves it any more; an exhausted one can be funded again."""
        return self.state in ENDED


@dataclass(frozen=True, slots=True)
class Spending:
    """The amount spent for one reason; a negative amount came back."""

    why: str
    amount: Decimal


@dataclass(frozen=True, slots=True)
class BudgetPoint:
    at: datetime
    amount: Decimal


@dataclass(frozen=True, slots=True)
class BurnDown:
    """The money left after each movement of it, and lines to compare it with, oldest first.

    `even_pace` spends all that came in evenly until the campaign ends, and is empty if it has no
    end. `forecast` goes on as its runs usually do.
    """

    left: tuple[BudgetPoint, ...]
    top_ups: tuple[BudgetPoint, ...]
    even_pace: tuple[BudgetPoint, ...]
    forecast: tuple[BudgetPoint, ...]
    runs_out_at: datetime | None


@dataclass(frozen=True, slots=True)
class CampaignStatistics(ApiObject):
    """The results of a campaign so far; `usual_run` is the median cost of its last three runs."""

    records: Mapping[str, int]
    spending: tuple[Spending, ...]
    usual_run: Decimal | None
    burn_down: BurnDown


@dataclass(frozen=True, slots=True)
class SourceAsked:
    """A kind of source, and how many pages it had, of which so many were not read lately."""

    kind: str
    results: int
    unread: int


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """The work that nodes did not do: pages extracted and records validated by the server
    itself.
    """

    extracted: int
    validated: int


@dataclass(frozen=True, slots=True)
class RunReport:
    """The results of a run; `outcomes` says of pages how many ended how."""

    asked: tuple[SourceAsked, ...]
    unserved_kinds: tuple[str, ...]
    pages: int
    outcomes: Mapping[str, int]
    candidates: int
    accepted: int
    rejected: int
    unresolved: int
    duplicates: int
    left_over: int
    built_in: BuiltIn
    skipped: str | None
    error: str | None


@dataclass(frozen=True, slots=True)
class CampaignRun:
    id: str
    tick: datetime
    state: str
    report: RunReport
    reserved: Decimal
    spent: Decimal
    deadline_at: datetime
    created_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class Quoted:
    """The quote of the value at `pointer`: `text[start:end]` of the snapshot."""

    pointer: str
    kind: str
    source_url: str | None
    snapshot: str | None
    content_hash: str | None
    fetched_at: datetime | None
    quote: str
    start: int
    end: int
    prefix: str
    suffix: str
    selector: str | None
    json_pointer: str | None
    method: str
    transform: str
    match: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Reason:
    category: str
    reason: str | None


@dataclass(frozen=True, slots=True)
class CampaignRecord:
    """A record, how it was judged, and where each of its values stands."""

    id: str
    run: str
    url: str
    version: int
    data: Mapping[str, Any]
    provenance: tuple[Quoted, ...]
    state: str
    reasons: tuple[Reason, ...]
    duplicate_of: str | None
    contributed_by: str
    verified_at: datetime | None
    due_at: datetime | None
    validated_by: tuple[Mapping[str, Any], ...]
    independent_votes: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class CampaignWork:
    """A page that a run reads; `by` is `node` or `built_in`, once it is read."""

    id: str
    run: str
    url: str
    kinds: tuple[str, ...]
    rechecks: tuple[str, ...]
    state: str
    outcome: str | None
    by: str | None
    records: int
    left_over: int
    read_at: datetime | None


@dataclass(frozen=True, slots=True)
class CampaignEntry:
    """One line of a transfer: a negative amount left the campaign's account of that kind."""

    id: str
    why: str
    kind: str
    token: str
    amount: Decimal
    posted_at: datetime
