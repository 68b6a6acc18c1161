"""The times at which owners looked at their monitors, to show the changes since."""

from collections.abc import Iterable
from uuid import UUID

from app.core import ids
from app.core.db import Reader, Tx
from app.core.ids import Noun
from app.domains.records.monitors import view_store
from app.domains.records.monitors.view_store import News


def news(reader: Reader, account_id: UUID, public_ids: Iterable[str]) -> dict[str, News]:
    """By public id, of those that are the account's."""
    wanted = {ids.internal(Noun.JOB, text): text for text in public_ids}
    found = view_store.news(reader, account_id, [id for id in wanted if id])
    return {wanted[each.job_id]: each for each in found}


def viewed(reader: Reader, account_id: UUID, public_id: str) -> int | None:
    """The number of the run up to which a monitor was looked at; None before the first time."""
    return view_store.viewed(reader, account_id, ids.lookup(Noun.JOB, public_id))


def view(tx: Tx, account_id: UUID, public_id: str) -> None:
    """Write down that all a monitor has reported was looked at."""
    view_store.view(tx, account_id, ids.lookup(Noun.JOB, public_id))
