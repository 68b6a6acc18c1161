"""Where the server is and who asks: from options, the environment, or what `citegrid login` kept.

Secrets come from the environment or from a file that only its owner may read, never from
arguments: those stand in the shell's history and in the list of processes.
"""

import json
import os
import tempfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

from citegrid import address
from citegrid.credentials import Credentials, Tokens

DEFAULT_BASE_URL: Final = "http://127.0.0.1:8000"


@dataclass(frozen=True, slots=True, repr=False)
class Stored:
    """What `citegrid login` keeps: credentials of one server."""

    base_url: str
    api_key: str | None = None
    access_token: str | None = None
    refresh_token: str | None = None
    salt: str = ""
    allow_insecure: bool = False


class UnreadableSettings(Exception):
    """The stored credentials cannot be read; delete the file and log in again."""


def file() -> Path:
    """Where credentials are kept (XDG Base Directory Specification)."""
    folder = os.environ.get("XDG_CONFIG_HOME", "")
    # The specification: a relative path is to be ignored.
    home = Path(folder) if Path(folder).is_absolute() else Path.home() / ".config"
    return home / "citegrid" / "credentials.json"


def load() -> Stored | None:
    """What is kept, if anything. Raises UnreadableSettings."""
    path = file()
    try:
        return Stored(**json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError):
        problem = f"{path} cannot be read; delete it and log in again."
    raise UnreadableSettings(problem)


def save(stored: Stored) -> Path:
    """Keep it, at no moment readable for others or half written."""
    path = file()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # mkstemp makes the file with mode 0600.
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".credentials-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as written:
            json.dump(asdict(stored), written)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return path


def forget() -> None:
    file().unlink(missing_ok=True)


@dataclass(frozen=True, slots=True, repr=False)
class Settings:
    """What one command uses. `came_from` says where its credential was found."""

    base_url: str
    credentials: Credentials
    allow_insecure: bool
    came_from: str


def settings(base_url: str | None, allow_insecure: bool) -> Settings:
    """Options before the environment before what is stored. Raises UnreadableSettings.

    Stored credentials go to the server they were stored for, and to no other.
    """
    stored = load()
    url = base_url or os.environ.get("SERVICE_BASE_URL") or (stored.base_url if stored else "")
    url = (url or DEFAULT_BASE_URL).rstrip("/")
    key = os.environ.get("SERVICE_API_KEY") or None
    if stored is None or stored.base_url != url:
        credentials, insecure = Credentials(api_key=key), allow_insecure
        return Settings(url, credentials, insecure, "SERVICE_API_KEY" if key else "nowhere")
    credentials = Credentials(
        api_key=key or stored.api_key,
        access_token=stored.access_token,
        refresh_token=stored.refresh_token,
        salt=stored.salt,
        on_refresh=lambda tokens: keep_refreshed(stored, tokens),
    )
    came_from = "SERVICE_API_KEY" if key else str(file())
    return Settings(url, credentials, allow_insecure or stored.allow_insecure, came_from)


def keep_refreshed(stored: Stored, tokens: Tokens) -> None:
    """Keep the new tokens, unless another login took their place meanwhile."""
    now = load()
    if now is not None and (now.base_url, now.salt) == (stored.base_url, stored.salt):
        access, refresh = tokens.access_token, tokens.refresh_token
        save(replace(now, access_token=access, refresh_token=refresh))


def checked_url(base_url: str, allow_insecure: bool) -> str:
    """Raises InvalidBaseUrl."""
    return address.checked(base_url, allow_insecure=allow_insecure)


def payments() -> Path:
    """Where the contexts of payments are kept, which finish a paid search from anywhere."""
    return file().parent / "payments"


def payer_rpc_urls() -> str:
    """JSON: an RPC for each network that may be paid on. It may hold secrets."""
    return os.environ.get("PAYER_RPC_URLS", "")


def colour_wanted() -> bool:
    """Whether the person has nothing against colour (no-color.org)."""
    return not os.environ.get("NO_COLOR")
