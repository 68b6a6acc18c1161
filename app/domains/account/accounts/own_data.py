"""An account's data in accounts, keys and sign-ins."""

from typing import Final

from app.core.db.own_data import Export, Follows, Retention, RowDeletion, Table, nobodys
from app.core.ids import Noun

ACCOUNTS_TABLES: Final = (
    Table(
        "accounts",
        Export(
            "id, email, created_at, disabled_at, operator, deletion_requested_at, erase_at",
            {"id": Noun.ACCOUNT},
            file="account",
        ),
        Retention("the id without a name, so that what others own refers to something"),
        by="id",
    ),
    Table(
        "preferences",
        Export("zone, theme, shortcuts, page_size", key=("account_id",)),
        RowDeletion(),
    ),
    Table(
        "api_keys",
        Export(
            "id, name, prefix, last_four, scopes, corpora, created_at, expires_at, last_used_at,"
            " revoked_at, replaced_by",
            {"id": Noun.API_KEY, "replaced_by": Noun.API_KEY},
        ),
        Follows("deleted all at once"),
    ),
    Table(
        "token_families",
        Export("created_at, last_used_at, revoked_at, browser, network", file="sign_ins"),
        RowDeletion(),
    ),
    Table(
        "tokens",
        "digests of secrets; the sign-ins they belong to are in `sign_ins`",
        Follows("with its sign-in"),
    ),
    *nobodys("the server's secrets, sealed", "peppers"),
)
