"""Building a generation of the index beside the one that serves, and letting it serve.

From the first moment whoever writes writes to both, so the rebuild has to add only what was there
before, in the order of ids. It may stop anywhere: another goes on, or compaction drops what it left
an hour later.
"""

from collections.abc import Container, Sequence
from dataclasses import replace

from app.core.db import Tx
from app.core.errors import Conflict
from app.domains.passages import generation_store, lexical_store, retriever
from app.domains.passages.generation_store import Building as Building
from app.domains.passages.retriever import ANALYSIS, Analysed

_IDLE_SECONDS = 60.0


class RebuildRunning(Conflict):
    """Another rebuild of the index was seen at work within the last minute."""

    code = "rebuild_running"


class RebuildOvertaken(Conflict):
    """Another rebuild of the index went on with this one's work, or dropped it."""

    code = "rebuild_overtaken"


def due(tx: Tx, ns: str) -> bool:
    """See `service.rebuild_due`."""
    return generation_store.serving_analysis(tx, ns) not in (None, ANALYSIS)


def begin(tx: Tx, ns: str) -> Building:
    """See `service.begin_rebuild`."""
    generation_store.alone(tx, ns)
    found = generation_store.building(tx, ns)
    if found is not None and found.idle_seconds < _IDLE_SECONDS:
        raise RebuildRunning
    if found is not None and found.analysis == ANALYSIS:
        return found
    if found is not None:
        generation_store.leave(tx, found.id)
    return generation_store.begin(tx, ns, ANALYSIS)


def build(
    tx: Tx, building: Building, analysed: Sequence[Analysed], kept: Container[int]
) -> Building:
    """Add those of the passages that are `kept` and that no writer has added before."""
    to = max(passage.id for passage, _ in analysed)
    if not generation_store.advance(tx, building.id, building.position, to):
        raise RebuildOvertaken
    held = lexical_store.held(tx, building.id, [passage.id for passage, _ in analysed])
    missing = [x for x in analysed if x[0].id in kept and x[0].id not in held]
    if missing:
        retriever.add(tx, building.id, missing)
    return replace(building, position=to)


def switch(tx: Tx, ns: str, building: Building) -> None:
    """See `service.switch`."""
    generation_store.alone(tx, ns)
    generation_store.leave_serving(tx, ns)
    if not generation_store.serve(tx, building.id, building.position):
        raise RebuildOvertaken
