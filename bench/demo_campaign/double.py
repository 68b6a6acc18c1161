"""Nodes that cheat, for the demonstration only: python -m bench.demo_campaign.double ROLE FOLDER
CAPACITY.

- lazy: accepts whatever it is given to judge.
- contributor: hands in records in which values stand in each other's place, quotes and all.
- colluder: judges honestly, but accepts whatever the contributor handed in.
"""

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from citegrid.node import identity
from citegrid.node.journal import Journal
from citegrid.node.reading.judgement import candidate_of, judged
from citegrid.node.reading.page import task_of
from citegrid.node.runner import Perform, WorkOutcome
from citegrid.node.setup import Setup
from citegrid.node.startup import run
from citegrid.node.tasks import extracted
from citegrid.nouns.providers.work import WorkItem
from citegrid.profiles import settings


def _name(data: Any) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def _accepted(item: WorkItem) -> dict[str, Any]:
    """Every quote that stands, as if it had been looked at."""
    candidate = candidate_of(item.input)
    return {"verdict": "accept", "evidence": judged(candidate)["evidence"] or _evidence(item)}


def _evidence(item: WorkItem) -> list[dict[str, Any]]:
    text = item.input["page"]["text"]
    return [
        each
        for each in item.input["record"]["provenance"]
        if text[each["start"] : each["start"] + len(each["quote"])] == each["quote"]
    ]


def _exchanged(item: WorkItem) -> dict[str, Any]:
    """Its records, with the values of the last two fields exchanged."""
    output = extracted(task_of(item.input))
    one, other = list(item.input["schema"]["properties"])[-2:]
    for record in output["records"]:
        data = record["data"]
        data[one], data[other] = data[other], data[one]
        for each in record["provenance"]:
            exchanged = {f"/{one}": f"/{other}", f"/{other}": f"/{one}"}
            each["pointer"] = exchanged.get(each["pointer"], each["pointer"])
    return output


async def lazy(item: WorkItem) -> WorkOutcome:
    return WorkOutcome(_accepted(item), "accept")


class Contributor:
    """`shared`: the folder that its partner looks into."""

    def __init__(self, shared: Path) -> None:
        self._shared = shared

    async def __call__(self, item: WorkItem) -> WorkOutcome:
        output = _exchanged(item)
        for record in output["records"]:
            (self._shared / _name(record["data"])).touch()
        return WorkOutcome(output, f"{len(output['records'])} records")


class Colluder:
    def __init__(self, shared: Path) -> None:
        self._shared = shared

    async def __call__(self, item: WorkItem) -> WorkOutcome:
        if (self._shared / _name(item.input["record"]["data"])).exists():
            return WorkOutcome(_accepted(item), "accept")
        output = judged(candidate_of(item.input))
        return WorkOutcome(output, output["verdict"])


def main(role: str, shared: Path, capacity: int) -> None:
    works: dict[str, dict[str, Perform]] = {
        "lazy": {"nodes.validation": lazy},
        "contributor": {"nodes.extraction": Contributor(shared)},
        "colluder": {"nodes.validation": Colluder(shared)},
    }
    who = identity.known(role, settings.address(None, None, None))
    if who is None:
        sys.exit("CITEGRID_NODE_ID and CITEGRID_NODE_TOKEN say which node this is.")
    with Journal() as journal:
        refused = run(who, Setup(capacity=capacity), journal, lambda *_: works[role])
    sys.exit(str(refused) if refused else 0)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
