"""The findings of `doctor` on the index at INDEX_URL: does it answer and keep up?"""

from collections.abc import Iterator
from urllib.parse import urlsplit

import psycopg

from app.core import db
from app.core.amounts import counted
from app.core.config.settings import Settings
from app.core.http.hosts import is_loopback
from app.domains.library.passages import change_store, changes
from app.domains.library.passages.change_store import Lag, Remote
from app.domains.library.passages.index.generation_store import NAMESPACE
from app.domains.library.passages.index.retriever import ANALYSIS
from app.engine.search import remote_server
from app.engine.search.remote import IndexFailed, RemoteServer
from app.local.doctor.findings import Finding

LEAST_VERSION = (2, 4)
REBUILD = "citegrid-server index rebuild --remote"
_HINTS = {
    "denied": "Check INDEX_USERNAME, INDEX_PASSWORD and the rights of the user.",
    "unreachable": "Check INDEX_URL, and INDEX_CA_FILE for a private certificate.",
}


def examine(settings: Settings) -> Iterator[Finding]:
    """Nothing for a server without such an index. Needs an open database."""
    server = remote_server.opened(settings)
    with db.reading() as reader:
        following = change_store.current(reader)
    if server is None:
        if following:
            what = "Changes are stored for a remote index, but INDEX_URL is not set"
            yield Finding("warn", what, "Set INDEX_URL, or run: citegrid-server index detach")
        return
    if _shows_password(settings):
        yield Finding(
            "warn", "INDEX_PASSWORD is sent to INDEX_URL without encryption", "Use https."
        )
    try:
        yield _version(server)
        yield from _serving(settings, server)
    except IndexFailed as failed:
        hint = _HINTS.get(failed.reason, "Check its log.")
        what = f"The index at INDEX_URL is unavailable: {failed}"
        yield Finding("fail", what, f"{hint} Postgres answers searches meanwhile.")


def _version(server: RemoteServer) -> Finding:
    name, _, number = server.version().partition(" ")
    parts = tuple(int(part) for part in number.split(".")[:2] if part.isdecimal())
    if name == "opensearch" and parts >= LEAST_VERSION:
        return Finding("ok", f"OpenSearch {number} is available")
    return Finding("warn", f"INDEX_URL is {name} {number}", "Install OpenSearch 2.4 or newer.")


def _shows_password(settings: Settings) -> bool:
    parts = urlsplit(settings.index_url)
    sends = bool(settings.index_username) and parts.scheme == "http"
    return sends and not is_loopback(parts.hostname or "")


def _serving(settings: Settings, server: RemoteServer) -> Iterator[Finding]:
    with db.reading() as reader:
        index = changes.serving(reader)
        job, lag = changes.rebuild_job(reader), changes.lag(reader)
    if index is None or lag is None:
        what = "No index at INDEX_URL yet; Postgres answers searches"
        yield Finding("warn", what, "The index is being built." if job else f"Build it: {REBUILD}")
    elif server.meant_by(settings.index_prefix + NAMESPACE) != [index.name]:
        what = f"The alias at INDEX_URL does not point to {index.name}"
        yield Finding("fail", what, f"Rebuild it: {REBUILD}")
    elif index.analysis != ANALYSIS:
        what = "The index at INDEX_URL was built by a version with different text analysis"
        yield Finding("warn", what, f"Rebuild it (searches keep working): {REBUILD}")
    else:
        yield _lag(settings, lag)
        yield _same(server, index)


def _lag(settings: Settings, lag: Lag) -> Finding:
    behind = f"{counted(lag.passages, 'passage')} and {lag.seconds:.0f} s behind"
    what = f"The index at INDEX_URL is {behind}"
    if lag.seconds > settings.index_lag_seconds:
        hint = "Check the worker of the queue housekeeping for failed index.send jobs."
        return Finding("warn", what, hint)
    return Finding("ok", what)


def _same(server: RemoteServer, index: Remote) -> Finding:
    try:
        differing = _differing(server, index)
        if differing:  # what was sent between two readings looks different once
            differing &= _differing(server, index)
    except psycopg.OperationalError as error:
        what = f"The index at INDEX_URL could not be compared: {db.summary(error)}"
        return Finding("warn", what, "Try again when the database is less busy.")
    if differing:
        runs = counted(len(differing), "run")
        what = f"The index at INDEX_URL differs from Postgres in {runs} of ids"
        return Finding("fail", what, f"Rebuild it (searches keep working): {REBUILD}")
    return Finding("ok", "The index at INDEX_URL matches Postgres")


def _differing(server: RemoteServer, index: Remote) -> set[int]:
    """The runs of ids whose passages are not the same, but for those with changes to be sent."""
    with db.reading() as reader:
        width = change_store.width(reader)
    there = {
        first: (run.passages, run.digest)
        for first, run in server.index(index.name).buckets(width).items()
    }
    with db.reading() as reader:
        here = changes.buckets(reader, width)
        changing = changes.changing(reader, index, width)
    return {
        first for first in here.keys() | there.keys() if here.get(first) != there.get(first)
    } - changing
