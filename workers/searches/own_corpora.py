"""The corpora that a search reads: of the operator's index, and of the account's own documents."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from app.core.db import Reader
from app.domains.library.corpora import store as operator_store
from app.domains.library.documents import corpus_store
from app.domains.library.documents.metadata import metadata_filter
from app.engine.search.interface import Filter, MetadataFilter


@dataclass(frozen=True, slots=True)
class SearchedCorpora:
    """`operators` and `own` are the corpora to which each index is narrowed: all of them where it
    is empty, and None where the index is not asked. `metadata` is asked of the account's documents.
    `some_deleted`: not all that the search was to read are there.
    """

    account_id: UUID | None = None
    operators: tuple[str, ...] | None = ()
    own: tuple[str, ...] | None = None
    metadata: MetadataFilter | None = None
    some_deleted: bool = False

    @property
    def accounts(self) -> list[UUID | None]:
        """Whose indexes are asked; None stands for the operator's."""
        operators = [] if self.operators is None else [None]
        return [*operators, *([] if self.own is None else [self.account_id])]

    def filter_of(self, account_id: UUID | None, where: Filter) -> Filter:
        if account_id is None:
            return replace(where, corpora=self.operators or ())
        return replace(where, corpora=self.own or (), metadata=self.metadata)


def searched_corpora(reader: Reader, account_id: UUID, options: dict[str, Any]) -> SearchedCorpora:
    """Returns those that a search with these options reads. One that was deleted is left out."""
    kept = corpus_store.kept(reader, account_id)
    own = [str(corpus.id) for corpus in kept if not corpus.deleted]
    wanted: Sequence[str] | None = options.get("corpora")
    if wanted is None:
        all_of_it = () if len(own) == len(kept) else tuple(own)
        searched = SearchedCorpora(account_id, own=all_of_it if own else None)
    else:
        indexed = {str(corpus.id) for corpus in operator_store.every(reader)}
        operators = tuple(id for id in wanted if id in indexed)
        of_own = tuple(id for id in wanted if id in own)
        searched = SearchedCorpora(
            account_id,
            operators=operators or None,
            own=of_own or None,
            some_deleted=len(operators) + len(of_own) < len(wanted),
        )
    if "filter" not in options:
        return searched
    return replace(
        searched, operators=None, metadata=metadata_filter(account_id, options["filter"])
    )


def is_narrowed(options: dict[str, Any]) -> bool:
    """True if only what a search names is to be read, and not the web."""
    return "corpora" in options or "filter" in options
