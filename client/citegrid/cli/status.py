"""`citegrid status`: whether the server works, and with which credential."""

from dataclasses import asdict

from citegrid.cli.command import Session, command, end
from citegrid.cli.exits import Exit, code_of
from citegrid.client import Client
from citegrid.errors import ApiError, ApiKeyScope, CitegridError, ConnectionFailed
from citegrid.transport.exchange import Policy

IMPATIENT = Policy(deadline_seconds=10.0, retries=0)


@command("status")
def status(session: Session) -> None:
    """Print the server address, its health and your credential.

    Exits with 1 if the server is unhealthy, and with 4 if it refuses the credential.
    """
    settings = session.settings
    facts, code = {"server": settings.base_url}, Exit.DONE
    client = session.connect(IMPATIENT)
    ready = _readiness(client)
    facts |= ready
    facts["credential"] = settings.came_from
    if ready["api"] == "ok" and settings.came_from != "nowhere":
        facts["signed_in"], code = _signed_in(client)
    if session.terminal.as_json:
        session.terminal.json(facts)
    else:
        for name, value in facts.items():
            session.terminal.text(f"{name.replace('_', ' '):<12} {value}")
    works = all(
        ready.get(part, "ok") == "ok" for part in ("api", "database", "redis", "dispatchers")
    )
    end(code if works else Exit.FAILED)


def _readiness(client: Client) -> dict[str, str]:
    try:
        found = asdict(client.health.get())
    except ConnectionFailed as error:
        return {"api": f"unreachable: {error}"}
    except CitegridError as error:
        return {"api": f"not ready: {error}"}
    found.pop("status")
    return {"api": "ok", **found}


def _signed_in(client: Client) -> tuple[str, Exit]:
    try:
        return client.accounts.get().account.email, Exit.DONE
    except ApiKeyScope:
        return "API key", Exit.DONE
    except ApiError as error:
        return f"no: {error}", code_of(error)
