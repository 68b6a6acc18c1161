"""Corpora as callers name them: by id, or by name."""

from collections.abc import Collection, Sequence
from uuid import UUID

from app.core import ids
from app.core.db import Reader
from app.core.errors import Invalid
from app.core.ids import Noun
from app.domains.library.corpora import store as operator_store
from app.domains.library.documents import corpus_store

_UNKNOWN = "Must be the id or name of a corpus."


def chosen(
    reader: Reader, account_id: UUID, wanted: Sequence[str], only: Collection[UUID] | None = None
) -> list[UUID]:
    """The corpora with these ids or names, for a search: the account's, or the operator's by name.

    With `only`, those among them. Raises Invalid for each that is neither; of another account's
    nobody learns that it is there.
    """
    found = _own(reader, account_id, wanted)
    for place, text in enumerate(wanted):
        if found[place] is None and (operators := operator_store.by_name(reader, text)) is not None:
            found[place] = operators.id
    return _all_of(found if only is None else [id if id in only else None for id in found])


def own(reader: Reader, account_id: UUID, wanted: Sequence[str]) -> list[UUID]:
    """The account's own with these ids or names. Raises Invalid for each that is not."""
    return _all_of(_own(reader, account_id, wanted))


def _own(reader: Reader, account_id: UUID, wanted: Sequence[str]) -> list[UUID | None]:
    own_ids = {text: id for text in wanted if (id := ids.internal(Noun.CORPUS, text)) is not None}
    named = corpus_store.named(reader, account_id, list(wanted), list(own_ids.values()))
    return [
        own_ids[text] if own_ids.get(text) in named.values() else named.get(text) for text in wanted
    ]


def _all_of(found: Sequence[UUID | None]) -> list[UUID]:
    problems = [
        {"field": f"/corpora/{place}", "problem": _UNKNOWN}
        for place, id in enumerate(found)
        if id is None
    ]
    if problems:
        raise Invalid(details=problems)
    return list(dict.fromkeys(id for id in found if id is not None))
