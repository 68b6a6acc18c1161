"""A lease, kept for as long as its work takes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import anyio

from citegrid.errors import ApiError, CitegridError
from citegrid.node.node_client import NodeClient
from citegrid.node.pace import Pace
from citegrid.nouns.providers.work import WorkItem

EXTEND_SECONDS: Final = 20.0
"""A third of what each extension gives."""


@dataclass(slots=True)
class Lease:
    """Why it was lost, once it is."""

    lost: str | None = None


@asynccontextmanager
async def kept(client: NodeClient, item: WorkItem, pace: Pace) -> AsyncIterator[Lease]:
    """Extend the lease at once, and again while the block runs; end the block when it is lost."""
    lease, raised = Lease(), None
    async with anyio.create_task_group() as group:
        group.start_soon(_keep, client, item, pace, lease, group.cancel_scope)
        try:
            yield lease
        except Exception as error:  # noqa: BLE001 -- as it is, not in a group
            raised = error
        group.cancel_scope.cancel()
    if raised is not None:
        raise raised


async def _keep(
    client: NodeClient, item: WorkItem, pace: Pace, lease: Lease, scope: anyio.CancelScope
) -> None:
    failures = 0
    while lease.lost is None:
        try:
            extended = await client.work.extend(item.id, item.fence)
        except CitegridError as error:
            if isinstance(error, ApiError) and not error.retryable:
                lease.lost = error.code
                break
            failures += 1
            await anyio.sleep(min(pace.after_failure(failures), EXTEND_SECONDS / 4))
            continue
        failures = 0
        if extended.cancelled:
            lease.lost = "cancelled"
            break
        await anyio.sleep(pace.about(EXTEND_SECONDS))
    scope.cancel()
