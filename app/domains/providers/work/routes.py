"""/v1/nodes/{id}/work/claim and /v1/work: how nodes get work and give its results."""

from functools import partial
from typing import Any
from uuid import UUID

from flask import Response, after_this_request, current_app, g, request

from app.core import db
from app.core.http import Blueprint, caller, node_only, raises, scoped
from app.core.http.fields import RowView
from app.core.http.pagination import PageIn, page
from app.domains.providers.nodes import networks
from app.domains.providers.nodes import service as nodes
from app.domains.providers.nodes.service import NodeNotFound
from app.domains.providers.work import kinds, outcomes, schemas, service, turn_store
from app.domains.providers.work.assignment import WorkRequest
from app.domains.providers.work.claims import ClaimBroker
from app.domains.providers.work.errors import LeaseLost, ResultConflict, WorkNotFound
from app.domains.providers.work.kinds import Item
from app.domains.providers.work.turn_store import TurnSummary

work = Blueprint(
    "work",
    __name__,
    url_prefix="/v1",
    description="Work items and their outcomes, for nodes.",
    preview=True,
)


@work.post("/nodes/<node:node_id>/work/claim", operation="claimWork")
@node_only
@raises(NodeNotFound)
@work.arguments(schemas.ClaimQuerySchema, location="query")
@work.arguments(schemas.ClaimIn)
@work.response(200, schemas.ClaimOut)
@work.alt_response(204, description="No work. Poll again after `Retry-After`.")
def claim(query: dict[str, Any], body: dict[str, Any], node_id: UUID) -> Any:
    """Claim work with a lease of 10 seconds; `wait` waits for work.

    Extend the lease immediately or send the result in time. Repeating a `key` returns the same
    work.
    """
    broker: ClaimBroker = current_app.extensions["claim_broker"]
    network = networks.public_network(request.remote_addr or "")
    with db.transaction() as tx:
        node = nodes.own(tx, caller().node_id, node_id)
        nodes.heard(tx, node, network)
    wanted = WorkRequest(
        node.id, node.account_id, body["key"], tuple(body["kinds"]), body["most"], network
    )
    given = broker.claim(wanted, query["wait"], g.identify, idle=node.idle)
    if given.work:

        @after_this_request
        def wake_repetitions(response: Response) -> Response:
            response.call_on_close(partial(broker.wake_repetitions, wanted))
            return response

        return {"work": given.work}
    return Response(status=204, headers={"Retry-After": str(given.retry_after)})


@work.get("/nodes/<node:node_id>/work", operation="listNodeWork")
@scoped("nodes")
@raises(NodeNotFound)
@work.arguments(PageIn, location="query")
@work.response(200, schemas.TurnsOut)
def index(wanted: dict[str, Any], node_id: UUID) -> dict[str, Any]:
    """List the work of your node with outcomes and the records it found, newest first."""
    with db.reading() as reader:
        node = nodes.find(reader, caller().account_id, node_id)
        rows = turn_store.turns(reader, node.id, wanted.get("cursor"), wanted["limit"] + 1)
        records = service.records_of(reader, node.account_id, rows)

    def shown(row: TurnSummary) -> RowView:
        return RowView(row, records=records.get(row.subject, []) if row.state == "done" else [])

    return page("work", rows, wanted["limit"], shown)


@work.post("/work/<work:work_id>/extend", operation="extendWork")
@node_only
@raises(WorkNotFound, LeaseLost)
@work.arguments(schemas.ExtendIn)
@work.response(200, schemas.ExtendOut)
def extend(body: dict[str, Any], work_id: UUID) -> dict[str, Any]:
    """Renew the lease for 60 seconds, but not beyond the deadline."""
    with db.transaction() as tx:
        node = nodes.by_id(tx, caller().credential_id)
        nodes.heard(tx, node, None)
        row, cancelled = outcomes.lease(tx, node.id, work_id, body["fence"])
    return {
        "cancelled": cancelled,
        "lease_until": None if cancelled else row.lease_until,
        "deadline_at": row.deadline_at,
    }


@work.post("/work/<work:work_id>/result", operation="submitWorkResult")
@node_only
@raises(WorkNotFound, LeaseLost, ResultConflict)
@work.arguments(schemas.ResultIn)
@work.response(200, schemas.ResultOut)
def result(body: dict[str, Any], work_id: UUID) -> dict[str, Any]:
    """Send the result. Repeating it returns the first response. An invalid result (400) can be
    corrected within the lease.
    """
    node_id, digest = caller().credential_id, outcomes.digest(body["output"])
    with db.reading() as reader:
        before = outcomes.result_before(reader, node_id, work_id, body["fence"], digest)
    if isinstance(before, Item):
        checked = kinds.kind_of(before.kind).check(before, body["output"])
        with db.transaction() as tx:
            before = outcomes.accept(tx, before, digest, checked)
    return {"id": work_id, "answer": before}


@work.post("/work/<work:work_id>/decline", operation="declineWork")
@node_only
@raises(WorkNotFound, LeaseLost)
@work.arguments(schemas.DeclineIn)
@work.response(204)
def decline(body: dict[str, Any], work_id: UUID) -> None:
    """Decline work. It goes to other nodes and does not return to your account."""
    with db.transaction() as tx:
        service.decline(tx, caller().credential_id, work_id, body["fence"], body["reason"])
