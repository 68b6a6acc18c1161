"""Parts of exports, sealed anew under the newest SECRET_KEY, some at a time."""

from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from app.core.db import Reader, Tx, many, send, value
from app.core.vault import Unreadable, Vault
from app.domains.own_data.personal_data.export_store import place

Place = tuple[UUID, int]
START: Place = (UUID(int=0), -1)


@dataclass(frozen=True, slots=True)
class _Part:
    export_id: UUID
    n: int
    sealed: bytes


class ExportBatch(NamedTuple):
    """`last` is where the next one begins; None: there is none."""

    last: Place | None
    moved: int
    unreadable: int


# Of a value that is stored outside its row only the beginning is read.
OF_FORMER_KEY = """
    select export_id, n, sealed from account_export_parts
    where (export_id, n) > (%(export_id)s, %(n)s)
      and substring(sealed for length(%(current)s::bytea)) <> %(current)s
    order by export_id, n limit %(most)s for update
    """
COUNT = """
    select count(distinct export_id) from account_export_parts
    where substring(sealed for length(%(current)s::bytea)) <> %(current)s
    """
RESEAL = """
    update account_export_parts set sealed = %(sealed)s
    where export_id = %(export_id)s and n = %(n)s
    """


def seal_exports_again(tx: Tx, vault: Vault, after: Place, most: int) -> ExportBatch:
    export_id, n = after
    parts = many(
        tx, _Part, OF_FORMER_KEY, export_id=export_id, n=n, current=vault.current, most=most
    )
    moved = sum(_seal(tx, vault, part) for part in parts)
    last = (parts[-1].export_id, parts[-1].n) if len(parts) == most else None
    return ExportBatch(last, moved, len(parts) - moved)


def _seal(tx: Tx, vault: Vault, part: _Part) -> bool:
    bound_to = place(part.export_id, part.n)
    try:
        piece = vault.open(bytes(part.sealed), bound_to)
    except Unreadable:
        return False
    send(tx, RESEAL, sealed=vault.seal(piece, bound_to), export_id=part.export_id, n=part.n)
    return True


def of_former_key(reader: Reader, vault: Vault) -> int:
    """Counts the exports that the newest SECRET_KEY did not seal."""
    return int(value(reader, COUNT, current=vault.current))
