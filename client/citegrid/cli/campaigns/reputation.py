"""`citegrid reputation`: how often the votes of your nodes were right."""

from citegrid.cli.command import Session, command
from citegrid.nouns.campaigns.reputation import Reputation


@command("reputation")
def reputation(session: Session) -> None:
    """Preview: print the accuracy of your nodes' votes and whether they count."""
    known = session.client.reputation.get()
    if session.terminal.as_json:
        session.terminal.json(known)
        return
    names = ("RIGHT", "WRONG", "MEAN", "90 %", "STATE")
    low, high = known.interval_90
    row = (
        str(known.right),
        str(known.wrong),
        f"{known.mean:.2f}",
        f"{low:.2f} to {high:.2f}",
        _state(known),
    )
    session.terminal.table(names, [row])


def _state(known: Reputation) -> str:
    if known.suspended_at is not None:
        return f"suspended since {known.suspended_at:%Y-%m-%d %H:%M}"
    return "in probation" if known.in_probation else "counts"
