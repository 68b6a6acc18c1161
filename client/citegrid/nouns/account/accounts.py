"""The account: made once, read, taken out and deleted by whoever is signed in."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from os import PathLike
from pathlib import Path
from typing import Final

from citegrid.calls import UNSET, Call, Route, json_of, nothing
from citegrid.nouns.export import written
from citegrid.nouns.failure import Failure
from citegrid.nouns.noun import M, Noun, operation, procedure
from citegrid.profiles.credentials import Access
from citegrid.transport.codec import ApiObject
from citegrid.transport.exchange import Reply, Steps


class Account(ApiObject):
    id: str
    email: str
    created_at: datetime


class Credit(ApiObject):
    """The credit of one token that the account may spend; `held` is set aside for chats that are
    running.
    """

    token: str
    available: Decimal
    held: Decimal


class OwnAccount(ApiObject):
    account: Account
    credit: tuple[Credit, ...]


class ExportProgress(ApiObject):
    """The progress of an export; `stage` is the list that is being read."""

    percent: int
    stage: str


class AccountExport(ApiObject):
    """Everything an account has as one file, while it is kept.

    `status` is `running`, `completed`, `failed` or `cancelled`; `lines` has the number of lines of
    each file in it.
    """

    id: str
    status: str
    created_at: datetime
    completed_at: datetime | None
    expires_at: datetime
    progress: ExportProgress
    bytes: int | None
    lines: Mapping[str, int]
    error: Failure | None = None


class Deletion(ApiObject):
    """When everything is erased; signing in before keeps the account."""

    requested_at: datetime
    erase_at: datetime


def content_of(reply: Reply) -> bytes:
    """A file as the server sent it."""
    return reply.content


EXPORT_FILE: Final = Route("GET", "/v1/account/export/file", Access.ACCOUNT)


class Accounts(Noun[M]):
    """`client.accounts`"""

    @operation("POST", "/v1/accounts", Access.NONE, makes=True)
    def create(
        self, email: str, password: str, *, idempotency_key: str | None = None
    ) -> Call[Account]:
        """Create an account, where the operator allows it."""
        return Call(json_of(Account, inside="account"))

    @operation("GET", "/v1/account", Access.ACCOUNT)
    def get(self) -> Call[OwnAccount]:
        """The signed-in account and its credit."""
        return Call(json_of(OwnAccount))

    @operation("POST", "/v1/account/password", Access.ACCOUNT)
    def change_password(self, current_password: str, new_password: str) -> Call[None]:
        """Change the password: all other sessions of the account end, API keys keep working."""
        return Call(nothing)

    @operation("POST", "/v1/account/export", Access.ACCOUNT, makes=True)
    def export(self, *, idempotency_key: str | None = None) -> Call[AccountExport]:
        """Export everything that the account has to one file, which replaces the previous one."""
        return Call(json_of(AccountExport, inside="export"))

    @operation("GET", "/v1/account/export", Access.ACCOUNT)
    def get_export(self, *, wait: float | None = None) -> Call[AccountExport]:
        """The account's export; with `wait` (0 to 30), the server answers when it is complete, or
        after that many seconds."""
        return Call(json_of(AccountExport, inside="export"), held_seconds=wait or 0.0)

    @operation("GET", "/v1/account/export/file", Access.ACCOUNT)
    def export_file(self) -> Call[bytes]:
        """The file of the export, a ZIP, in memory; `download_export` writes it to a path."""
        return Call(content_of)

    @procedure
    def download_export(self, path: str | PathLike[str]) -> Steps[Path]:
        """Write the file of the export to a path, where it appears when it is complete."""
        return (yield from written(self._service, EXPORT_FILE, Call(into=nothing), path, "zip"))

    @operation("DELETE", "/v1/account", Access.ACCOUNT)
    def delete(
        self, email: str, password: str, *, give_up_balance: bool | None = None
    ) -> Call[Deletion]:
        """Delete the account: all credentials end now, and everything is erased some days later.

        If you sign in before, the account is kept. `give_up_balance` leaves credit and rewards to
        the operator.
        """
        return Call(
            json_of(Deletion, inside="deletion"),
            body={
                "email": email,
                "password": password,
                "give_up_balance": UNSET if give_up_balance is None else give_up_balance,
            },
        )
