"""An account's data in the queue."""

from typing import Final, LiteralString

from app.core.db.own_data import Export, Follows, Nameless, RowDeletion, Table, nobodys
from app.core.ids import Noun

_STOPPED: LiteralString = (
    "kind = 'accounts.stop' and payload ->> 'account_id' = %(account_id)s::text"
    " and finished_at is not null"
)

JOBS_TABLES: Final = (
    Table(
        "jobs",
        Export(
            "id, queue, kind, state, attempt, request_id, error, created_at, started_at,"
            " finished_at",
            {"id": Noun.TASK},
        ),
        (RowDeletion("finished_at is not null"), RowDeletion(where=_STOPPED)),
    ),
    Table("job_attempts", "which worker tried a job", Follows("with its job")),
    Table(
        "bulk_actions",
        "the operator's work on queues",
        Nameless(
            "requested_by = 'erased'",
            "what an operator had done to many jobs",
            where="requested_by in (%(email)s, %(public_id)s, %(account_id)s::text)",
        ),
    ),
    Table(
        "queues",
        "the server's",
        Nameless(
            "paused_by = 'erased'",
            "a queue stays paused",
            where="paused_by in (%(email)s, %(public_id)s, %(account_id)s::text)",
        ),
    ),
    *nobodys("the server's load", "queue_samples"),
    *nobodys("the server's", "sweeps"),
    *nobodys("processes of the server", "dispatchers", "workers"),
)

SCHEDULES_TABLES: Final = (
    Table(
        "schedules",
        Export("id, kind, every_seconds, cron, timezone, next_tick, enabled, created_at"),
        RowDeletion(),
    ),
    Table("schedule_runs", "when a schedule was due", Follows("with its schedule")),
)
