"""Two tools about campaigns: describe one, and see how it stands. Money stays with people."""

from functools import partial
from typing import Annotated, Final

from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult
from pydantic import Field

from citegrid.counts import counted
from citegrid.mcp.connection import Connect
from citegrid.mcp.shapes import Call, Shape
from citegrid.mcp.tools.job_results import VALUE_CHARACTERS, values
from citegrid.mcp.tools.job_shapes import Value
from citegrid.mcp.tools.results import MOST_CHARACTERS, NEXT_STEP_CHARACTERS
from citegrid.mcp.tools.tool import ClosedTool, done, hints, written
from citegrid.nouns.campaigns.campaign_results import Campaign, CampaignRecord, CampaignRun

MOST_RECORDS: Final = 20
TEXT_CHARACTERS: Final = 200
FUND: Final = (
    "Not funded. Ask the user to run: citegrid campaigns fund {id} {amount}. Nothing is done or "
    "paid before that."
)
RUNNING: Final = (
    "Under way. It goes on by itself for as long as its cadence says; look again later with "
    'service_get_campaign and campaign_id "{id}".'
)
OVER: Final = "Ended. Cite the url of each record that you use."
EXHAUSTED: Final = "Its money is used up. The user can fund it again."
CUT: Final = " Some records, values or quotes are left out or cut; the API has all of them."


class Accepted(Shape):
    record_id: str
    url: str
    values: list[Value]


class Standing(Shape):
    campaign_id: str
    name: str
    state: str
    records_wanted: int
    records_accepted: int = Field(description="Accepted and still fresh.")
    token: str
    funded: str
    spent: str
    last_run: str = Field(description="State and counts of the latest run; empty before it.")
    records: list[Accepted] = Field(description="The newest accepted ones.")
    next_step: str = Field(description="What to do now.")


Name = Annotated[str, Field(min_length=1, max_length=200, description="For people.")]
Objective = Annotated[
    str,
    Field(min_length=1, max_length=2000, description="What the records are about: it is searched."),
]
Target = Annotated[int, Field(ge=1, le=1_000_000, description="How many records are wanted.")]
Amount = Annotated[
    str,
    Field(
        pattern=r"^(0|[1-9][0-9]{0,11})(\.[0-9]{1,9})?$",
        description="What all records together are worth, such as 5.00.",
    ),
]
Token = Annotated[str, Field(pattern="^[A-Z][A-Z0-9]{1,15}$", description="Of the amount: USD.")]
Fresh = Annotated[
    str,
    Field(
        pattern="^[1-9][0-9]{0,4}[smhd]$",
        description="How long a record counts before it is checked again, such as 7d.",
    ),
]
Validators = Annotated[
    int, Field(ge=1, le=7, description="Lead of independent votes that decides a record.")
]
CampaignId = Annotated[
    str,
    Field(
        pattern="^[A-Za-z0-9_-]{1,64}$",
        description="A campaign_id that service_start_campaign returned.",
    ),
]


class CampaignTools:
    """The functions behind the tools; their names and arguments are what hosts see."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect

    async def service_start_campaign(
        self,
        call: Call,
        name: Name,
        objective: Objective,
        records_target: Target,
        amount: Amount,
        token: Token = "USD",  # noqa: S107 (a currency)
        freshness: Fresh = "7d",
        min_validators: Validators = 2,
    ) -> Annotated[CallToolResult, Standing]:
        requirements = {
            "sources": ["web"],
            "freshness": freshness,
            "records_target": records_target,
        }
        async with self._connect(call) as client:
            campaign = await client.campaigns.create(
                name,
                objective,
                requirements,
                {"token": token, "amount": amount},
                {"min_validators": min_validators, "require_citations": True},
            )
        return done(_standing(campaign, None, []))

    async def service_get_campaign(
        self, call: Call, campaign_id: CampaignId
    ) -> Annotated[CallToolResult, Standing]:
        async with self._connect(call) as client:
            campaign = await client.campaigns.get(campaign_id)
            runs = await client.campaigns.list_runs(campaign_id, limit=1)
            records = await client.campaigns.list_records(campaign_id, limit=MOST_RECORDS)
        run = runs.items[0] if runs.items else None
        return done(_standing(campaign, run, [*records.items]))


def _standing(
    campaign: Campaign, run: CampaignRun | None, records: list[CampaignRecord]
) -> Standing:
    """As many of the records as fit."""
    standing = Standing(
        campaign_id=campaign.id,
        name=campaign.name[:TEXT_CHARACTERS],
        state=campaign.state,
        records_wanted=campaign.data_requirements.records_target,
        records_accepted=campaign.fresh_accepted,
        token=campaign.reward_budget.token,
        funded=f"{campaign.funded:f}",
        spent=f"{campaign.spent:f}",
        last_run="" if run is None else _last(run),
        records=[],
        next_step=_next_step(campaign),
    )
    room = MOST_CHARACTERS - NEXT_STEP_CHARACTERS - len(written(standing.model_dump(mode="json")))
    some_cut = False
    for record in records:
        found, cut = values(record)
        shown = Accepted(record_id=record.id, url=record.url[:VALUE_CHARACTERS], values=found)
        room -= len(written(shown.model_dump(mode="json"))) + 1
        if room < 0:
            some_cut = True
            break
        standing.records.append(shown)
        some_cut |= cut
    if some_cut:
        return standing.model_copy(update={"next_step": standing.next_step + CUT})
    return standing


def _last(run: CampaignRun) -> str:
    report = run.report
    text = (
        f"{run.state}: {counted(report.pages, 'page')}, {report.accepted} accepted, "
        f"{report.rejected} rejected, {counted(report.duplicates, 'duplicate')}"
    )
    if report.unserved_kinds:
        text += f"; served by no engine: {', '.join(report.unserved_kinds)}"
    return text[:TEXT_CHARACTERS]


def _next_step(campaign: Campaign) -> str:
    if campaign.state == "awaiting_funds":
        return FUND.format(id=campaign.id, amount=f"{campaign.reward_budget.amount:f}")
    if campaign.state == "exhausted":
        return EXHAUSTED
    return OVER if campaign.ended else RUNNING.format(id=campaign.id)


START: Final = (
    "Describe a campaign: many records on one subject, found and judged by others, paid for one by "
    "one. It waits until the user funds it. For a few pages now use service_start_extraction."
)
GET: Final = "A campaign: its state and money, its latest run, its newest accepted records."


def tools(connect: Connect) -> list[Tool]:
    """In the order hosts show them, behind those about extraction."""
    do, of = CampaignTools(connect), partial(ClosedTool.of, scope="campaigns")
    return [
        of(
            do.service_start_campaign,
            "Describe a campaign",
            START,
            hints(reaches=True),
            described=False,
        ),
        of(do.service_get_campaign, "Get a campaign", GET, hints(reads=True)),
    ]
