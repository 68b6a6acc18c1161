"""Declarations of an account's data in a table: for exports and for erasure.

Each domain declares its tables beside its store, what hangs on a row below it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import LiteralString

from app.core.ids import Noun


@dataclass(frozen=True, slots=True)
class Export:
    """The columns that an export shows, read in the order of `key`, by an index.

    Columns that hold secrets, or only digests of them, are never among them.
    """

    columns: LiteralString
    nouns: Mapping[str, Noun] = field(default_factory=dict)
    """Of the public ids in these columns; other ids are shown as they are stored."""
    key: tuple[LiteralString, ...] = ("id",)
    file: str = ""
    """Its name in the export, where it is not the table's."""
    only: LiteralString = "true"
    joined: LiteralString = ""


@dataclass(frozen=True, slots=True)
class SealedRows:
    """An export opens its rows as their own export does."""


@dataclass(frozen=True, slots=True)
class RowDeletion:
    """Rows that go; `snapshot` names the column of the stored page that each of them released."""

    only: LiteralString = "true"
    where: LiteralString = ""
    """Which rows, where they are not those of the account."""
    snapshot: LiteralString = ""
    last: bool = False
    """Asked for when everything else is gone: rows to which others refer stay."""


@dataclass(frozen=True, slots=True)
class Nameless:
    """Rows that stay for others, or for the books, without what a person wrote in them."""

    change: LiteralString
    why: str
    where: LiteralString = ""


@dataclass(frozen=True, slots=True)
class Retention:
    """Rows that stay, with the account's id in them."""

    why: str


@dataclass(frozen=True, slots=True)
class Follows:
    """Rows that go with others, or by their own domain."""

    why: str


@dataclass(frozen=True, slots=True)
class Nobodys:
    """Nothing of an account: the index, pages of others, processes, wallets."""


Erasure = RowDeletion | Nameless | Retention | Follows | Nobodys


@dataclass(frozen=True, slots=True)
class Table:
    """One table. `by` is the column of the account, or with `parents`, a statement that selects
    ids of rows of the account, the column of these."""

    name: LiteralString
    export: Export | SealedRows | str
    """Or why an export holds nothing of it."""
    erasure: Erasure | tuple[Erasure, ...]
    by: LiteralString = "account_id"
    parents: LiteralString = ""

    @property
    def erasures(self) -> tuple[Erasure, ...]:
        return self.erasure if isinstance(self.erasure, tuple) else (self.erasure,)

    @property
    def of_account(self) -> LiteralString:
        if self.parents:
            return f"{self.by} = any(array({self.parents}))"
        return f"{self.by} = %(account_id)s"


def nobodys(unexported: str, *names: LiteralString) -> tuple[Table, ...]:
    """Tables that hold nothing of an account."""
    return tuple(Table(name, unexported, Nobodys()) for name in names)
