"""`make demo-campaign`: from an empty folder to judged records, paid nodes and two found out."""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from citegrid import Client
from citegrid.nouns.campaigns.campaign_results import CampaignRun

from app.local.database import database
from bench.demo_campaign import books, cast, manual, report, service
from bench.demo_campaign.cast import Player
from bench.demo_campaign.report import say, tell
from bench.demo_campaign.service import Service, until

OBJECTIVE: Final = "The environment variables that each process of the server reads"
LEAST_GOLD: Final = 5
PHASE_SECONDS: Final = 420.0
LOOK_SECONDS: Final = 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8765)
    parser.add_argument("--records", type=int, default=50, help="that the campaign wants")
    options = parser.parse_args()
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="citegrid-nodes-")))
        say("Starting Postgres, Redis and the service")
        address = stack.enter_context(manual.served(manual.entries(50)))
        running = stack.enter_context(service.started(options.port, urlsplit(address).netloc))
        stack.enter_context(database(running.settings))
        say(f"The service is at {running.url}")
        wrong = played(running, address, stack, home, options.records)
    for each in wrong:
        say(f"NOT AS IT SHOULD BE: {each}")
    sys.exit(1 if wrong else 0)


def played(running: Service, address: str, stack: ExitStack, home: Path, target: int) -> list[str]:
    """The whole play; what should have come out otherwise."""
    running.operator("index", "add", "manual", address, "--kind", "site")
    say(f"Crawled the manual at {address}")
    funder = cast.signed_in(running, "funder")
    running.operator("credits", "grant", "funder@example.org", "30")
    say("Granted the funder 30 USD")

    first = funded(funder, "first look", target=20, amount="4", validators=1)
    run = watched(funder, first)
    say(f"Without nodes, our own checks accepted {run.report.accepted} of {run.report.candidates}")
    books.make_gold()
    right, wrong = until(enough_gold, PHASE_SECONDS, always)
    say(f"Of those, {right} right and {wrong} wrong records test who judges")

    players = [cast.player(running, part) for part in cast.EVERYBODY]
    stack.enter_context(cast.at_work(running, players, home))
    say(f"Started {len(players)} nodes: " + ", ".join(each.part.name for each in players))
    judges = [each for each in players if "validation" in each.part.work]
    until(lambda: tested(judges), PHASE_SECONDS, always)
    say("Each has answered its twelve items with known answers, or was suspended before")

    second = funded(funder, "all settings", target=target, amount="20", validators=2)
    watched(funder, second)
    records = [
        record
        for state in ("accepted", "rejected", "unresolved")
        for record in funder.campaigns.records(second, state=state)
    ]
    tell("Records", report.of_records(records))
    tell("Judges", report.of_nodes(players))
    tell("Rewards (pending until disputes are over, 72 hours)", report.of_rewards(players))
    tell("Money", report.of_money(funder.campaigns.get(second)))
    return report.problems(players, records)


def funded(funder: Client, name: str, *, target: int, amount: str, validators: int) -> str:
    made = funder.campaigns.create(
        name,
        OBJECTIVE,
        {"sources": ["web"], "freshness": "7d", "records_target": target},
        {"token": "USD", "amount": amount},
        {"min_validators": validators, "require_citations": True},
        schema=manual.SCHEMA,
    )
    funder.campaigns.fund(made.id, amount)
    say(f"Funded the campaign {name!r} with {amount} USD for {target} records")
    return made.id


def watched(funder: Client, campaign: str) -> CampaignRun:
    """The campaign's first run, once it has closed."""
    said = ""

    def look() -> CampaignRun | None:
        nonlocal said
        run = next(iter(funder.campaigns.runs(campaign)), None)
        if run is not None and (now := progress(run)) != said:
            said = now
            say(f"  run {now}")
        return run if run is not None and run.state == "closed" else None

    return until(look, PHASE_SECONDS, always, LOOK_SECONDS)


def progress(run: CampaignRun) -> str:
    report = run.report
    return (
        f"{run.state}: {report.pages} pages, {report.candidates} candidates, "
        f"{report.accepted} accepted, {report.rejected} rejected"
    )


def enough_gold() -> tuple[int, int] | None:
    right, wrong = books.gold_items()
    return (right, wrong) if min(right, wrong) >= LEAST_GOLD else None


def tested(judges: Sequence[Player]) -> bool | None:
    """Whether all have answered what tests them first."""
    seen = [books.tested(each.account_id) for each in judges]
    counts = (f"{j.part.name} {s.answers}" for j, s in zip(judges, seen, strict=True))
    say("  tested: " + ", ".join(counts), once="tested")
    return True if all(s.answers >= 12 or s.suspended_at for s in seen) else None


def always() -> bool:
    return True


if __name__ == "__main__":
    main()
