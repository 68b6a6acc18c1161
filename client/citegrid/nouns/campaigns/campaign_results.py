"""The results of reading campaigns: their state and money, runs, records with provenance, work."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from citegrid.transport.codec import ApiObject

ENDED: Final = frozenset({"completed", "ended", "cancelled"})


class DataRequirements(ApiObject):
    sources: tuple[str, ...]
    freshness: str
    records_target: int


class RewardBudget(ApiObject):
    token: str
    amount: Decimal


class CampaignValidation(ApiObject):
    min_validators: int
    require_citations: bool


class Forecast(ApiObject):
    """A forecast from the present balance; `runs_left` is None before the first run has closed."""

    runs_left: int | None
    records_left: int


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


class Spending(ApiObject):
    """The amount spent for one reason; a negative amount was refunded."""

    why: str
    amount: Decimal


class BudgetPoint(ApiObject):
    at: datetime
    amount: Decimal


class BurnDown(ApiObject):
    """The money left after each transfer, and lines to compare it with, oldest first.

    `even_pace` spends all funds evenly until the campaign ends, and is empty if it has no end.
    `forecast` assumes the median cost of its runs.
    """

    left: tuple[BudgetPoint, ...]
    top_ups: tuple[BudgetPoint, ...]
    even_pace: tuple[BudgetPoint, ...]
    forecast: tuple[BudgetPoint, ...]
    runs_out_at: datetime | None


class CampaignStatistics(ApiObject):
    """The results of a campaign so far; `usual_run` is the median cost of its last three runs."""

    records: Mapping[str, int]
    spending: tuple[Spending, ...]
    usual_run: Decimal | None
    burn_down: BurnDown


class SourceAsked(ApiObject):
    """A kind of source, with the number of its results and of those that need to be read."""

    kind: str
    results: int
    unread: int


class BuiltIn(ApiObject):
    """The work that nodes did not do: pages extracted and records validated by the server
    itself.
    """

    extracted: int
    validated: int


class RunReport(ApiObject):
    """The results of a run; `outcomes` counts pages by outcome."""

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


class CampaignRun(ApiObject):
    id: str
    tick: datetime
    state: str
    report: RunReport
    reserved: Decimal
    spent: Decimal
    deadline_at: datetime
    created_at: datetime
    ended_at: datetime | None


class ValueQuote(ApiObject):
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


class Reason(ApiObject):
    category: str
    reason: str | None


class CampaignRecord(ApiObject):
    """A record, how it was judged, and where each of its values stands."""

    id: str
    run: str
    url: str
    version: int
    data: Mapping[str, Any]
    provenance: tuple[ValueQuote, ...]
    state: str
    reasons: tuple[Reason, ...]
    duplicate_of: str | None
    contributed_by: str
    verified_at: datetime | None
    due_at: datetime | None
    validated_by: tuple[Mapping[str, Any], ...]
    independent_votes: int
    created_at: datetime
    owner_verdict: str | None = None
    unsure: tuple[str, ...] = ()


class CampaignWork(ApiObject):
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


class CampaignEntry(ApiObject):
    """One line of a transfer: a negative amount left the campaign's account of that kind."""

    id: str
    why: str
    kind: str
    token: str
    amount: Decimal
    posted_at: datetime
