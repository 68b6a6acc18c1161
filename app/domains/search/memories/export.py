"""All of a persona as a stream: a memory with its history a line, some read at a time."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import orjson
from marshmallow import Schema

from app.core import db, log
from app.core.errors import AppError, StorageUnavailable
from app.core.vault import Vault
from app.domains.search.memories import service
from app.domains.search.memories.opened import Memory

logger = log.get(__name__)


def ndjson(vault: Vault, account_id: UUID, persona_id: str, schema: Schema) -> Iterator[bytes]:
    """When something fails on the way the last line is `{"error": …}`, and the stream breaks off.

    Raises PersonaNotFound at once.
    """
    first = _some(vault, account_id, persona_id, None)
    return _lines(vault, account_id, persona_id, schema, first)


def _some(vault: Vault, account_id: UUID, persona_id: str, after: UUID | None) -> list[Memory]:
    with db.tenant(account_id) as tx:
        return service.exported(tx, vault, account_id, persona_id, after)


def _lines(
    vault: Vault, account_id: UUID, persona_id: str, schema: Schema, memories: list[Memory]
) -> Iterator[bytes]:
    try:
        while memories:
            for memory in memories:
                yield _line(schema.dump(memory))
            memories = _some(vault, account_id, persona_id, memories[-1].id)
    except Exception as error:
        failure = error if isinstance(error, AppError) else StorageUnavailable()
        logger.info("export ended", why=type(error).__name__)
        yield _line({"error": failure.body("")["error"]})
        raise


def _line(shown: Any) -> bytes:
    return orjson.dumps(shown) + b"\n"
