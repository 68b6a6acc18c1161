"""Nodes that cheat, for the demonstration only: python -m bench.demo_campaign.double ROLE FOLDER
CAPACITY SEED.

- lazy: accepts whatever it is given to judge, and finds nothing on the pages that it is given.
- contributor: hands in records in which values stand in each other's place, quotes and all.
- colluder: judges honestly, but accepts whatever the contributor handed in.
- ring: both of these.
- garbage: hands in nonsense, votes by chance.
- slow: is honest, and takes ten seconds for each answer.
"""

import asyncio
import hashlib
import json
import random
import sys
from pathlib import Path
from typing import Any, Final

from citegrid.node import identity
from citegrid.node.journal import Journal
from citegrid.node.reading.extraction import extracted
from citegrid.node.reading.judgement import candidate_of, judged
from citegrid.node.reading.page import task_of
from citegrid.node.runner import Perform, WorkOutcome
from citegrid.node.setup import Setup
from citegrid.node.startup import run
from citegrid.nouns.providers.work import WorkItem
from citegrid.profiles import settings

SLOW_SECONDS: Final = 10.0
_CHANCE: Final = random.Random()


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


async def nothing(_item: WorkItem) -> WorkOutcome:
    return WorkOutcome({"records": []}, "no record")


async def slow_reader(item: WorkItem) -> WorkOutcome:
    await asyncio.sleep(SLOW_SECONDS)
    return WorkOutcome(extracted(task_of(item.input)), "read")


async def slow_judge(item: WorkItem) -> WorkOutcome:
    await asyncio.sleep(SLOW_SECONDS)
    output = judged(candidate_of(item.input))
    return WorkOutcome(output, output["verdict"])


async def nonsense(item: WorkItem) -> WorkOutcome:
    """A record of words of the page, each where it stands, that mean nothing together."""
    words = _CHANCE.sample(item.input["page"]["text"].split(), k=8)
    fields = list(item.input["schema"]["properties"])
    values = {name: words[n] for n, name in enumerate(fields)}
    quotes = [{"pointer": f"/{name}", "quote": word} for name, word in values.items()]
    return WorkOutcome({"records": [{"data": values, "provenance": quotes}]}, "nonsense")


async def chance(item: WorkItem) -> WorkOutcome:
    if _CHANCE.random() < 0.5:
        return WorkOutcome(_accepted(item), "accept")
    reason = "Said by chance, and for no better reason."
    return WorkOutcome({"verdict": "reject", "category": "other", "reason": reason}, "reject")


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


def main(role: str, shared: Path, capacity: int, seed: str) -> None:
    _CHANCE.seed(seed)
    works: dict[str, dict[str, Perform]] = {
        "lazy": {"nodes.extraction": nothing, "nodes.validation": lazy},
        "contributor": {"nodes.extraction": Contributor(shared)},
        "colluder": {"nodes.validation": Colluder(shared)},
        "ring": {"nodes.extraction": Contributor(shared), "nodes.validation": Colluder(shared)},
        "garbage": {"nodes.extraction": nonsense, "nodes.validation": chance},
        "slow": {"nodes.extraction": slow_reader, "nodes.validation": slow_judge},
    }
    who = identity.known(role, settings.address(None, None, None))
    if who is None:
        sys.exit("CITEGRID_NODE_ID and CITEGRID_NODE_TOKEN say which node this is.")
    with Journal() as journal:
        refused = run(who, Setup(capacity=capacity), journal, lambda *_: works[role])
    sys.exit(str(refused) if refused else 0)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
