"""Nodes: computers of yours that do work for others, and their tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from citegrid.nouns.noun import M, Noun, operation
from citegrid.nouns.pagination import Page, every, page_of
from citegrid.profiles.credentials import Access
from citegrid.service import UNSET, Call, Unset, json_of, nothing
from citegrid.transport.codec import ApiObject


@dataclass(frozen=True, slots=True)
class ModelRates:
    """Decimal strings: USD per million tokens."""

    input: str
    output: str


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A model that a node serves. `max_context` counts a request and its answer together;
    `precision` is how its numbers are stored, None if that is not stated."""

    model: str
    revision: str
    rates: ModelRates
    max_context: int
    auto_eligible: bool
    precision: str | None = None


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The capabilities of a node: of extraction, validation and chat; so many items at once."""

    work: tuple[str, ...]
    models: tuple[ServedModel, ...]
    capacity: int
    languages: tuple[str, ...]
    max_bytes: int


@dataclass(frozen=True, slots=True)
class Node(ApiObject):
    """A node without its token. `paused_reason` says why it gets no work, if it gets none."""

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


@dataclass(frozen=True, slots=True)
class NewNode(ApiObject):
    """A node with its token, which is never shown again."""

    node: Node
    node_token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Heartbeat(ApiObject):
    """The server's words to a node that is there; `next_seconds` is until the next heartbeat."""

    maintenance: bool
    paused_until: datetime | None
    paused_reason: str | None
    next_seconds: float


class Nodes(Noun[M]):
    """`client.nodes` (preview)"""

    @operation("GET", "/v1/nodes", Access.KEY)
    def list(self, *, limit: int | None = None, cursor: str | None = None) -> Call[Page[Node]]:
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
        """Preview. A node: when it was last heard of, and why it gets no work if so."""
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
        """Preview. A new token; the former one works for 24 hours, or as many as given."""
        return Call(json_of(NewNode))

    @operation("POST", "/v1/nodes/{node_id}/heartbeat", Access.NODE, repeatable=True)
    def heartbeat(
        self, node_id: str, in_flight: int, *, serving: Sequence[str] | Unset = UNSET
    ) -> Call[Heartbeat]:
        """Preview. Say that the node is there; it renews no lease."""
        return Call(json_of(Heartbeat))
