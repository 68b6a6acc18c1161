"""Requests of an account: what an export shows of them and erasure does to them."""

from typing import Final

from app.core.db.own_data import Export, RowDeletion, Table
from app.core.ids import Noun

REQUESTS_TABLES: Final = (
    Table(
        "requests",
        Export(
            "id, credential_id, source, at, method, route, path, operation, status, milliseconds,"
            " error, headers, replayed",
            {"id": Noun.REQUEST},
        ),
        RowDeletion(),
    ),
    Table(
        "request_counts",
        Export(
            "day, credential_id, operation, requests, failed, replayed",
            key=("day", "credential_id", "operation"),
            file="usage",
        ),
        RowDeletion(),
    ),
)
