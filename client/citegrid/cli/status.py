"""`citegrid status`: whether the server works, and with which credential."""

from dataclasses import asdict

from citegrid.cli.command import Session, command, end
from citegrid.cli.exits import Exit
from citegrid.client import Client
from citegrid.errors import ApiError, ApiKeyScope, CitegridError, ConnectionFailed
from citegrid.transport.exchange import Policy

IMPATIENT = Policy(deadline_seconds=10.0, retries=0)


@command("status")
def status(session: Session) -> None:
    """Say where the server is, whether it works and who asks. Exits with 1 when it does not."""
    settings = session.settings
    facts = {"server": settings.base_url}
    with session.client(IMPATIENT) as client:
        ready = _readiness(client)
        facts |= ready
        facts["credential"] = settings.came_from
        if ready["api"] == "ok" and settings.came_from != "nowhere":
            facts["signed_in"] = _signed_in(client)
    if session.terminal.as_json:
        session.terminal.json(facts)
    else:
        for name, value in facts.items():
            session.terminal.text(f"{name.replace('_', ' '):<12} {value}")
    works = all(
        ready.get(part, "ok") == "ok" for part in ("api", "database", "redis", "dispatchers")
    )
    end(Exit.DONE if works else Exit.FAILED)


def _readiness(client: Client) -> dict[str, str]:
    try:
        found = asdict(client.health.get())
    except ConnectionFailed as error:
        return {"api": f"away: {error}"}
    except CitegridError as error:
        return {"api": f"not ready: {error}"}
    found.pop("status")
    return {"api": "ok", **found}


def _signed_in(client: Client) -> str:
    try:
        return client.accounts.get().account.email
    except ApiKeyScope:
        return "with an API key"
    except ApiError as error:
        return f"no: {error}"
