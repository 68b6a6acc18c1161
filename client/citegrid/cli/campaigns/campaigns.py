"""`citegrid campaigns`: records that are paid for as they are accepted."""

import inspect
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final

import click

from citegrid.cli.command import Session, group, page_options, yes_option
from citegrid.cli.records.job_results import SHOWN, checked, output_option, write
from citegrid.cli.records.sources import JsonFile
from citegrid.cli.terminal import line
from citegrid.cli.wait import going_on, timeout_option
from citegrid.counts import counted
from citegrid.nouns.campaigns.campaign_results import (
    Campaign,
    CampaignRecord,
    CampaignRun,
    RunReport,
)
from citegrid.nouns.campaigns.campaigns import Campaigns

STATES: Final = (
    "awaiting_funds",
    "active",
    "paused",
    "completed",
    "exhausted",
    "ended",
    "cancelled",
)
RECORD_STATES: Final = ("candidate", "accepted", "rejected", "unresolved", "any")


@group("campaigns")
def campaigns_group() -> None:
    """Preview: create, fund and watch campaigns, and read their records."""


@campaigns_group.command("create")
@click.argument("file", type=JsonFile())
def create(session: Session, file: Any) -> None:
    """Create a campaign from FILE and print its id.

    FILE is the JSON body of `POST /v1/campaigns`. It has at least a name, an objective,
    data_requirements, a reward_budget and validation.
    """
    body = _body(file)
    campaign = session.client.campaigns.create(**body)
    session.terminal.result(campaign, campaign.id, whole=True)
    budget = campaign.reward_budget
    session.terminal.suggest(f"citegrid campaigns fund {campaign.id} {budget.amount:f}")


def _body(file: Any) -> dict[str, Any]:
    """The members of the request, which the server checks; here only whether they have names."""
    taken = inspect.signature(Campaigns.create.function).parameters.keys() - {"self"}
    required = {"name", "objective", "data_requirements", "reward_budget", "validation"}
    if not isinstance(file, dict):
        raise click.UsageError("FILE must be a JSON object.")
    problems = {"lacks": required - file.keys(), "must not have": file.keys() - taken}
    if wrong := [f"{how} {', '.join(sorted(names))}" for how, names in problems.items() if names]:
        raise click.UsageError(f"FILE {' and '.join(wrong)}.")
    return {name: _time(value) if name.endswith("s_at") else value for name, value in file.items()}


def _time(value: Any) -> datetime:
    try:
        return datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise click.UsageError(
            "starts_at and ends_at must look like 2026-11-22T09:00:00Z."
        ) from None


@campaigns_group.command("list")
@click.option("--state", type=click.Choice(STATES), help="Only campaigns in this state.")
@page_options
def list_campaigns(session: Session, state: Any, **paging: Any) -> None:
    """Print your campaigns, newest first."""
    page = session.client.campaigns.list(state=state, **paging)
    rows = [
        (each.id, each.state, each.data_requirements.records_target, line(each.name))
        for each in page
    ]
    session.terminal.page(page, ("ID", "STATE", "RECORDS", "NAME"), rows)


@campaigns_group.command("show")
@click.argument("campaign_id")
def show(session: Session, campaign_id: str) -> None:
    """Print a campaign with its balances and forecast."""
    _show(session, session.client.campaigns.get(campaign_id))


def _show(session: Session, campaign: Campaign) -> None:
    terminal, token = session.terminal, campaign.reward_budget.token
    if terminal.as_json:
        terminal.json(campaign)
        return
    wanted = campaign.data_requirements.records_target
    terminal.text(f"{campaign.id} {campaign.state}: {line(campaign.name)}")
    terminal.text(f"{campaign.fresh_accepted} of {wanted} records accepted and fresh", "  ")
    terminal.text(
        f"{token}: {campaign.funded:f} funded, {campaign.spent:f} spent, "
        f"{campaign.reserved:f} reserved, {campaign.refunded:f} returned; "
        f"{campaign.reward_per_record:f} per record",
        "  ",
    )
    if campaign.next_run_at is not None:
        terminal.text(f"next run {campaign.next_run_at:%Y-%m-%d %H:%M} UTC", "  ")


@campaigns_group.command("fund")
@click.argument("campaign_id")
@click.argument("amount")
def fund(session: Session, campaign_id: str, amount: str) -> None:
    """Add AMOUNT of your credit to a campaign. Requires `citegrid login`."""
    _show(session, session.client.campaigns.fund(campaign_id, amount))
    session.terminal.suggest(f"citegrid campaigns watch {campaign_id}")


@campaigns_group.command("pause")
@click.argument("campaign_id")
def pause(session: Session, campaign_id: str) -> None:
    """Pause a campaign. No new run starts."""
    _show(session, session.client.campaigns.pause(campaign_id))


@campaigns_group.command("resume")
@click.argument("campaign_id")
def resume(session: Session, campaign_id: str) -> None:
    """Resume a paused campaign."""
    _show(session, session.client.campaigns.resume(campaign_id))


@campaigns_group.command("cancel")
@click.argument("campaign_id")
@yes_option
def cancel(session: Session, campaign_id: str, yes: bool) -> None:
    """Cancel a campaign. Submitted records are still judged and paid; the rest is refunded."""
    session.confirm(f"Cancel {campaign_id}?", yes)
    _show(session, session.client.campaigns.cancel(campaign_id))


@campaigns_group.command("watch")
@click.argument("campaign_id")
@timeout_option
def watch(session: Session, campaign_id: str, timeout: float | None) -> None:
    """Follow the latest run until it closes and print its report."""
    _report(session, _followed(session, campaign_id, timeout))


def _followed(session: Session, campaign_id: str, timeout: float | None) -> CampaignRun | None:
    run = None
    with (
        going_on(session, campaign_id),
        session.terminal.progress("Waiting for the run to start") as report,
    ):
        for run in session.client.campaigns.follow(campaign_id, timeout=timeout):
            report(f"{run.state.capitalize()}  {counted(run.report.pages, 'page')}")
    return run


@campaigns_group.command("report")
@click.argument("campaign_id")
def report(session: Session, campaign_id: str) -> None:
    """Print the report of the latest run."""
    page = session.client.campaigns.list_runs(campaign_id, limit=1)
    _report(session, page.items[0] if page.items else None)


def _report(session: Session, run: CampaignRun | None) -> None:
    terminal = session.terminal
    if terminal.as_json:
        terminal.json({"run": run})
        return
    if run is None:
        terminal.text("No runs yet.")
        return
    known = run.report
    terminal.text(f"{run.id} {run.state}" + (f" ({known.skipped})" if known.skipped else ""))
    outcomes = ", ".join(f"{count} {name}" for name, count in sorted(known.outcomes.items()))
    terminal.text(counted(known.pages, "page") + (f": {outcomes}" if outcomes else ""), "  ")
    terminal.text(
        f"{counted(known.candidates, 'candidate')}: {known.accepted} accepted, "
        f"{known.rejected} rejected, {known.unresolved} unresolved; "
        f"{counted(known.duplicates, 'duplicate')}",
        "  ",
    )
    terminal.text(f"{run.spent:f} spent of {run.reserved:f} reserved", "  ")
    if known.error:
        terminal.text(f"planning failed: {known.error}", "  ")
    elif run.state == "closed" and not known.pages and not known.skipped:
        terminal.text(f"no pages were read: {_why_nothing(known)}", "  ")
    if known.unserved_kinds:
        terminal.text(f"no source available for: {', '.join(known.unserved_kinds)}", "  ")
    if known.built_in.extracted or known.built_in.validated:
        terminal.text(
            f"without nodes: {counted(known.built_in.extracted, 'page')} read, "
            f"{counted(known.built_in.validated, 'record')} judged by built-in checks",
            "  ",
        )


def _why_nothing(report: RunReport) -> str:
    """Why a run read no page, in the words of the campaign's page."""
    if any(source.unread for source in report.asked):
        return "the remaining funds did not cover a record"
    if any(source.results for source in report.asked):
        return "no page that was found was due"
    if report.asked:
        return "no page was found"
    if report.unserved_kinds:
        return "no source could be searched for pages"
    return "no records were needed, or the remaining funds did not cover one"


@campaigns_group.command("records")
@click.argument("campaign_id")
@output_option
@click.option(
    "--state",
    type=click.Choice(RECORD_STATES),
    default="accepted",
    show_default=True,
    help="Only records in this state.",
)
def records(session: Session, campaign_id: str, output: Path | None, state: Any) -> None:
    """Print or write the records with their quotes."""
    checked(output)
    if output is not None:
        write(session.client.campaigns, campaign_id, output, state=state)
        session.terminal.say(f"written to {output}")
        return
    every = session.client.campaigns.records(campaign_id, state=state)
    if session.terminal.as_json:
        session.terminal.json({"records": [*every]})
    else:
        _show_records(session, [*islice(every, SHOWN + 1)])


def _show_records(session: Session, found: list[CampaignRecord]) -> None:
    for record in found[:SHOWN]:
        _show_record(session, record)
    if not found:
        session.terminal.say("Nothing to list.")
    if len(found) > SHOWN:
        session.terminal.say(f"Showing the first {SHOWN}. Use -o records.csv to write all records.")


@campaigns_group.command("judge")
@click.argument("campaign_id")
@click.argument("record_id")
@click.argument("verdict", type=click.Choice(["accept", "reject"]))
def judge(session: Session, campaign_id: str, record_id: str, verdict: Any) -> None:
    """Say whether an undecided record is right: it tests who votes, and does not decide."""
    record = session.client.campaigns.judge(campaign_id, record_id, verdict)
    session.terminal.result(record, f"{record.id} {record.owner_verdict}", whole=True)


def _show_record(session: Session, record: CampaignRecord) -> None:
    terminal = session.terminal
    how = "built in" if record.validated_by else "no votes"
    if record.independent_votes:
        how = counted(record.independent_votes, "vote")
    terminal.text(f"{record.id} {record.state} ({how})")
    quotes = {each.pointer: each.quote for each in record.provenance}
    for name, value in record.data.items():
        quoted = f'  "{line(quotes[f"/{name}"])}"' if f"/{name}" in quotes else ""
        terminal.text(f"{name}: {line(str(value))}{quoted}", "  ")
    for reason in record.reasons:
        copy = reason.category == "duplicate" and record.duplicate_of
        category = f"duplicate of {record.duplicate_of}" if copy else reason.category
        why = f": {line(reason.reason)}" if reason.reason else ""
        terminal.text(f"{category}{why}", "  ")
