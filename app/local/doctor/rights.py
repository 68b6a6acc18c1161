"""The findings of `doctor` on rights of the roles: those they lack, and those refused lately."""

from collections.abc import Iterator

import redis

from app.core.config.settings import Settings
from app.core.db import Reader, rights
from app.core.db.migrate import FOLDER
from app.core.redis import refused_rights
from app.local.doctor.findings import Finding

MOST_NAMED = 5
MIGRATE = "citegrid-server migrate"


def examine(reader: Reader, settings: Settings) -> Finding:
    """Compares what the roles may do with what `rights.toml` states."""
    lacking = rights.lacking(reader, FOLDER, settings.database_role)
    if not lacking:
        return Finding("ok", "The roles have all rights that the service needs")
    more = f" and {len(lacking) - MOST_NAMED} more" if len(lacking) > MOST_NAMED else ""
    return Finding(
        "fail",
        f"Rights are missing: {', '.join(lacking[:MOST_NAMED])}{more}",
        MIGRATE,
    )


def examine_refused(client: "redis.Redis") -> Iterator[Finding]:
    """One finding for each right that the database refused a process. Raises RedisError."""
    for refusal, times in refused_rights.counted(client).items():
        yield Finding(
            "fail",
            f"Refused {times} times in the last days: {refusal}",
            f"{MIGRATE}; where no right is missing, report a fault of this version.",
        )
