"""The settings of a client: where the server is and who asks, from arguments, the environment, or a
saved profile.

Secrets come from the environment or from a file that only its owner may read. The command line
takes none as an argument: those stand in the shell's history and in the list of processes.
"""

import os
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from citegrid.errors import InvalidArgument, InvalidBaseUrl
from citegrid.profiles import saved
from citegrid.profiles.credentials import Credentials, Tokens
from citegrid.profiles.saved import DEFAULT, SavedProfile, UnknownProfile, UnreadableProfile
from citegrid.transport.address import checked

DEFAULT_BASE_URL: Final = "http://127.0.0.1:8000"
NOWHERE: Final = "nowhere"


@dataclass(frozen=True, slots=True, repr=False)
class Settings:
    """The settings a client asks with. `came_from` says where its credential was found."""

    base_url: str
    credentials: Credentials
    allow_insecure: bool
    came_from: str


def resolve(
    base_url: str | None = None, profile: str | None = None, *, allow_insecure: bool = False
) -> Settings:
    """Resolves in order: what is given, then a profile that is named, then SERVICE_*, then the
    default profile.

    Credentials of a profile go to the server they were saved for, and to no other; so does
    SERVICE_API_KEY where SERVICE_BASE_URL is set. Raises UnknownProfile, UnreadableProfile and
    InvalidArgument.
    """
    named = profile or chosen_profile()
    name = named or DEFAULT
    try:
        kept = _kept(name)
    except UnreadableProfile:
        stated = base_url or _variable("SERVICE_BASE_URL")
        if named or not stated or not environment_key(_plain(stated)):
            raise
        kept = None  # what it should say is said without it
    if named and kept is None:
        raise UnknownProfile(f"There is no profile {named}: citegrid login --profile {named}")
    url = address(base_url, named, kept)
    key = None if named else environment_key(url)
    try:
        if kept is None or _plain(kept.base_url) != url:
            came_from = "SERVICE_API_KEY" if key else NOWHERE
            return Settings(url, Credentials(api_key=key), allow_insecure, came_from)
        came_from = "SERVICE_API_KEY" if key else str(saved.file_of(folder(), name))
        insecure = allow_insecure or kept.allow_insecure
        return Settings(url, _credentials(name, kept, key), insecure, came_from)
    except ValueError:  # whose text says nothing of where it stood
        source = "SERVICE_API_KEY" if key else f"What profile {name} keeps"
    raise InvalidArgument(f"{source} does not look like a key or token.")


def _kept(name: str) -> SavedProfile | None:
    try:
        where = folder()
    except InvalidArgument:  # without a home nothing was saved
        return None
    return saved.load(where, name)


def address(base_url: str | None, named: str | None, kept: SavedProfile | None) -> str:
    """The server, by the same order."""
    of_profile = kept.base_url if kept else None
    candidates = (base_url, of_profile if named else None, _variable("SERVICE_BASE_URL"))
    return _plain(next((url for url in (*candidates, of_profile) if url), DEFAULT_BASE_URL))


def _plain(url: str) -> str:
    """In the form by which two are compared; what is no address stays as it is."""
    with suppress(InvalidBaseUrl):
        return checked(url, allow_insecure=True)
    return url.strip().rstrip("/")


def environment_key(url: str) -> str | None:
    """The API key in the environment, if it is for this server."""
    server = _variable("SERVICE_BASE_URL")
    return _variable("SERVICE_API_KEY") if server is None or _plain(server) == url else None


def _credentials(name: str, kept: SavedProfile, key: str | None) -> Credentials:
    session = _SavedSession(name, kept)
    return Credentials(
        api_key=key or kept.api_key,
        access_token=kept.access_token,
        refresh_token=kept.refresh_token,
        salt=kept.salt,
        on_refresh=session.keep,
        changed=session.changed,
    )


class _SavedSession:
    """The session of a profile, which other processes refresh as well."""

    def __init__(self, name: str, kept: SavedProfile) -> None:
        self._name, self._kept, self._seen = name, kept, kept

    def _now(self) -> SavedProfile | None:
        """The profile, unless another login took its place."""
        now = saved.load(folder(), self._name)
        kept = self._kept
        same = now is not None and (now.base_url, now.salt) == (kept.base_url, kept.salt)
        return now if same else None

    def changed(self) -> SavedProfile | None:
        """The profile, if its tokens are others than when it was last read."""
        now = self._now()
        if now is None or now.access_token == self._seen.access_token:
            return None
        self._seen = now
        return now

    def keep(self, tokens: Tokens) -> None:
        if (now := self._now()) is not None:
            access, refresh = tokens.access_token, tokens.refresh_token
            refreshed = replace(now, access_token=access, refresh_token=refresh)
            with suppress(OSError):  # read-only: the next one gets them by the same Idempotency-Key
                saved.save(folder(), self._name, refreshed)


def folder() -> Path:
    """Returns the folder where profiles are kept (XDG Base Directory Specification).

    Raises InvalidArgument where this user has no home.
    """
    given = Path(_variable("XDG_CONFIG_HOME") or "")
    # The specification: a relative path is to be ignored.
    try:
        home = given if given.is_absolute() else Path.home() / ".config"
        return home / "citegrid"
    except RuntimeError:  # no HOME, and a user whom the system does not know
        problem = "This user has no home directory: set HOME or XDG_CONFIG_HOME."
    raise InvalidArgument(problem)


def payments() -> Path:
    """The folder of the contexts of payments, which finish a paid search anywhere."""
    return folder() / "payments"


def node_id() -> str | None:
    """The node that a process is, where the environment says so."""
    return _variable("CITEGRID_NODE_ID")


def node_token() -> str | None:
    return _variable("CITEGRID_NODE_TOKEN")


def backend_key() -> str | None:
    """The key of the model that a node asks."""
    return _variable("CITEGRID_BACKEND_KEY")


def chosen_profile() -> str | None:
    return _variable("CITEGRID_PROFILE")


def product_segment() -> str:
    """The path segment where the server has its jobs, configured there alike."""
    return _variable("EXTRACTION_PRODUCT_SEGMENT") or "extract"


def log_level() -> str | None:
    """Returns the level of what is logged to stderr; None for nothing."""
    return _variable("CITEGRID_LOG")


def socket_of_systemd() -> int | None:
    """Returns the descriptor of the socket that was opened for this process (sd_listen_fds(3))."""
    return 3 if _variable("LISTEN_PID") == str(os.getpid()) else None


def payer_rpc_urls() -> str:
    """JSON: an RPC for each network that may be paid on. It may hold secrets."""
    return _variable("PAYER_RPC_URLS") or ""


def colour_wanted() -> bool:
    """True if the person has nothing against colour (no-color.org)."""
    return _variable("NO_COLOR") is None


def _variable(name: str) -> str | None:
    """None for what is empty as well, as shells leave it."""
    return os.environ.get(name) or None
