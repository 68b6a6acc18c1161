"""Writing an index of OpenSearch that follows another: changes with versions, in any order.

Each passage carries the version of the change that made it. OpenSearch keeps the highest, so what
is sent twice, late or side by side ends the same.
"""

from collections.abc import Iterable, Iterator, Sequence

from app.engine.search.opensearch.client import Cluster
from app.engine.search.opensearch.requests import buckets, drop, index_body, put
from app.engine.search.remote import Addition, Bucket, IndexFailed, Removal

_WRITE_SECONDS = 30.0
_MOST_CHARACTERS = 4 << 20  # of one bulk request; its limit is 100 MB, where it is not lowered
_SUPERSEDED, _GONE = 409, 404
_PASSING = frozenset({429, 503})


class OpenSearchIndex:
    """One index by its name. Every method raises IndexFailed, and may be repeated."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        self._cluster, self._name = cluster, name

    def create(self) -> None:
        """Make it, unless it is there; searches see nothing of it.

        Changes go to an alias of it: when the index is gone so is its alias, and OpenSearch does
        not make an index of its own idea in its place.
        """
        body = {**index_body(), "aliases": {self._writing: {}}}
        self._cluster.create(self._name, body, _WRITE_SECONDS)

    @property
    def _writing(self) -> str:
        return f"{self._name}-write"

    def apply(self, changes: Iterable[Addition | Removal]) -> list[int]:
        """Send changes in this order; the ids of passages that OpenSearch will never take."""
        refused: list[int] = []
        for some in _portions(changes):
            refused += self._send(some)
        return refused

    def _send(self, lines: Sequence[tuple[int, str]]) -> list[int]:
        body = "".join(line for _, line in lines)
        try:
            outcomes = self._cluster.bulk(self._writing, body, _WRITE_SECONDS, alias=True)
        except IndexFailed as failed:
            if failed.reason != "too large":
                raise
            return self._send_halves(lines)
        return self._refused(lines, [int(outcome["status"]) for outcome in outcomes])

    def _send_halves(self, lines: Sequence[tuple[int, str]]) -> list[int]:
        if len(lines) == 1:
            return [lines[0][0]]
        middle = len(lines) // 2
        return [*self._send(lines[:middle]), *self._send(lines[middle:])]

    def _refused(self, lines: Sequence[tuple[int, str]], statuses: Sequence[int]) -> list[int]:
        if len(statuses) != len(lines):
            raise IndexFailed(self._cluster.host, "broken", "outcomes are missing")
        if any(status in _PASSING or status >= 500 for status in statuses):
            raise IndexFailed(self._cluster.host, "busy", "a part was not taken")
        deleted = [line.startswith('{"delete"') for _, line in lines]
        return [
            id
            for (id, _), status, deletion in zip(lines, statuses, deleted, strict=True)
            if status >= 300 and status != _SUPERSEDED and not (deletion and status == _GONE)
        ]

    def serve(self, alias: str) -> None:
        """Let all that was written be seen, and the alias stand for this index alone."""
        self._cluster.refresh(self._name, _WRITE_SECONDS)
        self._cluster.point(alias, self._name, _WRITE_SECONDS)

    def drop(self) -> None:
        self._cluster.drop(self._name, _WRITE_SECONDS)

    def buckets(self, width: int) -> dict[int, Bucket]:
        """Returns what it holds, by the first id of each run of `width`."""
        self._cluster.refresh(self._name, _WRITE_SECONDS)
        with self._cluster.reading():
            [answer] = self._cluster.searches(self._name, [buckets(width)], _WRITE_SECONDS)
            return {
                int(run["key"]): Bucket(int(run["doc_count"]), int(run["digest"]["value"]))
                for run in answer["aggregations"]["runs"]["buckets"]
            }


def _portions(changes: Iterable[Addition | Removal]) -> Iterator[list[tuple[int, str]]]:
    """The lines of changes with their passages, as much as one request should carry."""
    portion: list[tuple[int, str]] = []
    size = 0
    for id, line in map(_line, changes):
        if portion and size + len(line) > _MOST_CHARACTERS:
            yield portion
            portion, size = [], 0
        portion.append((id, line))
        size += len(line)
    if portion:
        yield portion


def _line(change: Addition | Removal) -> tuple[int, str]:
    if isinstance(change, Removal):
        return change.id, drop(change.id, change.version)
    return change.passage.id, put(change.passage, change.terms, version=change.version)
