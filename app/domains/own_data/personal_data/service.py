"""Everything an account has, as one file: requested, written by a worker, kept for some days."""

from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.db import Reader, Tx, values
from app.core.errors import Conflict, NotFound, required
from app.core.ids import Noun
from app.core.vault import Vault
from app.domains.account.audit.service import record_event
from app.domains.own_data.personal_data import export_store, table_store, tables
from app.domains.own_data.personal_data.archive import Archive, line
from app.domains.own_data.personal_data.export_store import ExportRow
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs.service import enqueue
from app.domains.search.memories import persona_keys
from app.domains.search.memories import service as memories
from app.domains.search.memories.opened import MemoriesUnreadable

KIND = kinds.register(
    "accounts.export", queue="housekeeping", deadline_seconds=6 * 3600, priority=40
)
ERASE = kinds.register(
    "accounts.erase", queue="housekeeping", deadline_seconds=600, priority=20, every_seconds=300
)
RETENTION = kinds.register(
    "retention.apply", queue="housekeeping", deadline_seconds=600, priority=10, every_seconds=60
)


class ExportNotFound(NotFound):
    """The account has no export. Request a new one."""

    code = "export_not_found"


class ExportNotReady(Conflict):
    """The export is not complete. Check its status."""

    code = "export_not_ready"


def request(tx: Tx, account_id: UUID, kept_seconds: float) -> ExportRow:
    """Promise an export; the one that is being written is returned instead of a second one."""
    id = enqueue(tx, KIND, account_id, {}, unique_key=str(account_id))
    export_store.begin(tx, id, account_id, kept_seconds + KIND.deadline_seconds)
    record_event(tx, "account.export_requested", ids.public(Noun.EXPORT, id), account_id)
    return find(tx, account_id)


def find(reader: Reader, account_id: UUID, _id: UUID | None = None) -> ExportRow:
    """The account's export; it has one at a time. Raises ExportNotFound."""
    return required(export_store.of_account(reader, account_id), ExportNotFound)


def ready(reader: Reader, account_id: UUID) -> ExportRow:
    """One that can be read. Raises ExportNotFound, ExportNotReady."""
    export = find(reader, account_id)
    if export.bytes is None:
        raise ExportNotReady
    return export


def note_download(tx: Tx, export: ExportRow) -> None:
    record_event(tx, "account.exported", ids.public(Noun.EXPORT, export.id), export.account_id)


def pieces(settings: Settings, export: ExportRow) -> Iterator[bytes]:
    """The file, a piece at a time. It breaks off when the export is replaced meanwhile."""
    vault, sent, n = vault_of(settings), 0, 0
    while sent < (export.bytes or 0):
        with db.reading() as reader:
            sealed = export_store.part(reader, export.id, n)
        if sealed is None:
            raise ExportNotFound
        piece = vault.open(bytes(sealed), export_store.place(export.id, n))
        yield piece
        sent, n = sent + len(piece), n + 1


def vault_of(settings: Settings) -> Vault:
    return Vault(settings.secret_keys, "account exports")


# The writer's side: a worker's, or the operator's command's.


def write(archive: Archive, settings: Settings, account_id: UUID) -> Iterator[str]:
    """Read all of it into an archive; the name of each list before it is read."""
    for listing in tables.EXPORTED:
        yield listing.file
        rows = table_store.rows(listing, account_id)
        archive.add(listing.file, (line(row, listing.export.nouns) for row in rows))
    yield "memories"
    archive.add("memories", _memories(settings, account_id))


PERSONAS = "select persona_id from memory_keys order by persona_id"


def _memories(settings: Settings, account_id: UUID) -> Iterator[dict[str, Any]]:
    """Opened; a persona whose key is lost says so."""
    vault = persona_keys.vault_of(settings)
    with db.tenant(account_id) as tx:
        personas = values(tx, PERSONAS)
    for persona_id in personas:
        try:
            yield from _remembered(vault, account_id, persona_id)
        except MemoriesUnreadable as error:
            yield {"persona_id": persona_id, "error": error.code}


def _remembered(vault: Vault, account_id: UUID, persona_id: str) -> Iterator[dict[str, Any]]:
    nouns = dict.fromkeys(("id", "supersedes", "superseded_by"), Noun.MEMORY)
    after: UUID | None = None
    while True:
        with db.tenant(account_id) as tx:
            some = memories.exported(tx, vault, account_id, persona_id, after)
        for memory in some:
            yield line(asdict(memory), nouns)
        if not some:
            return
        after = some[-1].id


def heading(account_id: UUID) -> dict[str, Any]:
    at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return {"account": ids.public(Noun.ACCOUNT, account_id), "read_at": at}


class ExportWriter:
    """Seals the pieces of an export and stores them, each in a transaction of `step`."""

    def __init__(self, settings: Settings, id: UUID, step: Any) -> None:
        self._vault, self._id, self._step, self._n = vault_of(settings), id, step, 0
        with step() as tx:  # what a former attempt left
            export_store.forget_parts(tx, id)

    def __call__(self, piece: bytes) -> None:
        sealed = self._vault.seal(piece, export_store.place(self._id, self._n))
        with self._step() as tx:
            export_store.keep_part(tx, self._id, self._n, sealed)
        self._n += 1
