"""Nodes: computers of yours that do work for others, and their tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import Any, Literal, Unpack

from citegrid.calls import UNSET, Call, Unset, json_of, nothing
from citegrid.nouns.noun import M, Noun, operation
from citegrid.nouns.pagination import Page, PageOptions, every, page_of
from citegrid.profiles.credentials import Access
from citegrid.transport.codec import ApiObject


class ModelRates(ApiObject):
    """Decimal strings: USD per million tokens."""

    input: str
    output: str


class ServedModel(ApiObject):
    """A model that a node serves. `max_context` counts a request and its answer together;
    `precision` is how its numbers are stored, None if that is not stated."""

    model: str
    revision: str
    rates: ModelRates
    max_context: int
    auto_eligible: bool
    precision: str | None = None


class Capabilities(ApiObject):
    """The capabilities of a node: extraction, validation and chat; `capacity` items at once."""

    work: tuple[str, ...]
    models: tuple[ServedModel, ...]
    capacity: int
    languages: tuple[str, ...]
    max_bytes: int


class Node(ApiObject):
    """A node without its token. `paused_reason` says why it gets no work."""

    id: str
    name: str
    capabilities: Capabilities
    availability: str
    maintenance: bool
    paused_until: datetime | None
    paused_reason: str | None
    seen_at: datetime | None
    former_token_until: datetime | None
    created_at: datetime


class NewNode(ApiObject):
    """A node with its token, which is never shown again."""

    node: Node
    node_token: str = field(repr=False)


class Heartbeat(ApiObject):
    """The answer to a heartbeat; the next one is due in `next_seconds`."""

    maintenance: bool
    paused_until: datetime | None
    paused_reason: str | None
    next_seconds: float


class Nodes(Noun[M]):
    """`client.nodes` (preview)"""

    @operation("GET", "/v1/nodes", Access.KEY)
    def list(self, **page: Unpack[PageOptions]) -> Call[Page[Node]]:
        """Preview. One page of your nodes, newest first; `limit` is 1 to 200."""
        return Call(page_of("nodes", Node))

    iterate = every(list, "Preview. All of your nodes, newest first, page after page.")

    @operation("POST", "/v1/nodes", Access.KEY, makes=True)
    def create(
        self, name: str, capabilities: Mapping[str, Any], *, idempotency_key: str | None = None
    ) -> Call[NewNode]:
        """Preview. Register a node. `capabilities` has at least `work`, a list.

        The token is in this answer only. Each model becomes an unpublished offer.
        """
        return Call(json_of(NewNode))

    @operation("GET", "/v1/nodes/{node_id}", Access.KEY)
    def get(self, node_id: str) -> Call[Node]:
        """Preview. A node, with the time of its last heartbeat and why it gets no work."""
        return Call(json_of(Node, inside="node"))

    @operation("PATCH", "/v1/nodes/{node_id}", Access.KEY)
    def update(
        self,
        node_id: str,
        *,
        name: str | Unset = UNSET,
        capabilities: Mapping[str, Any] | Unset = UNSET,
        maintenance: bool | Unset = UNSET,
        paused: Literal[False] | Unset = UNSET,
    ) -> Call[Node]:
        """Preview. Change what is given; `capabilities` are replaced as a whole.

        `paused=False` ends a pause, once a day.
        """
        return Call(json_of(Node, inside="node"))

    @operation("DELETE", "/v1/nodes/{node_id}", Access.KEY)
    def delete(self, node_id: str) -> Call[None]:
        """Preview. Remove a node; its token ends and its offers are taken back."""
        return Call(nothing)

    @operation("POST", "/v1/nodes/{node_id}/roll", Access.KEY, makes=True)
    def roll(
        self, node_id: str, *, overlap_hours: int | None = None, idempotency_key: str | None = None
    ) -> Call[NewNode]:
        """Preview. A new token; the previous one works for 24 hours, or `overlap_hours`."""
        return Call(json_of(NewNode))

    @operation("POST", "/v1/nodes/{node_id}/heartbeat", Access.NODE, repeatable=True)
    def heartbeat(
        self, node_id: str, in_flight: int, *, serving: Sequence[str] | Unset = UNSET
    ) -> Call[Heartbeat]:
        """Preview. Say that the node is there; it renews no lease."""
        return Call(json_of(Heartbeat))
