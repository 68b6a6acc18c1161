"""`citegrid verify`: whether a quote still stands where it was cut from."""

import time
from typing import Final

import click

from citegrid.cli.command import Session, command, end
from citegrid.cli.exits import Exit
from citegrid.cli.terminal import line
from citegrid.client import Client
from citegrid.nouns.records.job_results import QuoteComparison, Verification

PAUSE_SECONDS: Final = 1.0
LONGEST_SECONDS: Final = 120.0


@command("verify")
@click.argument("page", metavar="URL|SNAPSHOT")
@click.argument("quote")
@click.option("--start", type=click.IntRange(0), help="Position in the stored text.")
@click.option("--stored", is_flag=True, help="Skip the live page.")
def verify(session: Session, *, page: str, quote: str, start: int | None, stored: bool) -> None:
    """Preview: search for QUOTE in a stored page and on the live page.

    Exits with 6 unless the quote is found, possibly in another place, and with 124 if the page
    takes too long.
    """
    where = {"snapshot": page} if page.startswith("snap_") else {"url": page}
    checked = session.client.jobs.verify(quote, start=start, live=not stored, **where)
    checked = _ended(session.client, checked)
    if session.terminal.as_json:
        session.terminal.json(checked)
    else:
        _show(session, "stored", checked.stored, "This page is not stored.")
        if not stored:
            missing = f"could not be read: {checked.live_error or 'it takes too long'}"
            _show(session, "live", checked.live, missing)
    if checked.status == "running":
        end(Exit.TIMEOUT)
    end(Exit.DONE if _stands(checked) else Exit.WEAK)


def _ended(client: Client, checked: Verification) -> Verification:
    """A page that takes long is looked at again."""
    until = time.monotonic() + LONGEST_SECONDS
    while checked.status == "running" and checked.id and time.monotonic() < until:
        time.sleep(PAUSE_SECONDS)
        checked = client.jobs.verification(checked.id)
    return checked


def _show(session: Session, name: str, verified: QuoteComparison | None, missing: str) -> None:
    if verified is None:
        session.terminal.text(f"{name}: {missing}")
        return
    place = "" if verified.start is None else f" at characters {verified.start}-{verified.end}"
    session.terminal.text(f"{name}: {verified.result}{place}")
    if verified.moved_to:
        session.terminal.whole(f"  {line(verified.moved_to)}")
    if verified.difference:
        session.terminal.text(verified.difference, indent="  ")


def _stands(checked: Verification) -> bool:
    """The page itself decides, where it was read."""
    decisive = checked.live or checked.stored
    return decisive is not None and decisive.result in ("found", "moved")
