"""Extraction and validation: a piece of work in, its output out."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import anyio

from citegrid.counts import counted
from citegrid.node.chats.backend import Backend
from citegrid.node.reading.conformance import problem
from citegrid.node.reading.judgement import candidate_of, judged
from citegrid.node.reading.model_extraction import asked
from citegrid.node.reading.page import ExtractionTask, Unusable, task_of
from citegrid.node.reading.relevance import share
from citegrid.node.reading.rules import RuleRecord, records
from citegrid.node.runner import Perform, WorkOutcome, WorkRefusal
from citegrid.nouns.providers.work import WorkItem

MOST_OUTPUT_BYTES: Final = 900_000
"""The server takes bodies of a megabyte."""


def kinds(work: Sequence[str], backend: Backend | None) -> dict[str, Perform]:
    """Returns the function for each kind of work, of those that the node offers."""
    doing: dict[str, Perform] = {
        "extraction": _Extraction(backend),
        "validation": _Validation(backend),
    }
    return {f"nodes.{name}": doing[name] for name in work if name in doing}


class _Extraction:
    def __init__(self, backend: Backend | None) -> None:
        self._backend = backend

    async def __call__(self, item: WorkItem) -> WorkOutcome:
        task = _understood(task_of, item)
        output = await anyio.to_thread.run_sync(extracted, task, await _second(self._backend, task))
        return _done(output, counted(len(output["records"]), "record"))


class _Validation:
    def __init__(self, backend: Backend | None) -> None:
        self._backend = backend

    async def __call__(self, item: WorkItem) -> WorkOutcome:
        candidate = _understood(candidate_of, item)
        others = await _second(self._backend, candidate.task)
        output = await anyio.to_thread.run_sync(judged, candidate, others)
        category = output.get("category")
        return _done(output, f"{output['verdict']}{f' ({category})' if category else ''}")


def _understood(read: Callable[[Any], Any], item: WorkItem) -> Any:
    try:
        return read(item.input)
    except Unusable:
        raise WorkRefusal("cannot") from None


async def _second(backend: Backend | None, task: ExtractionTask) -> list[RuleRecord]:
    return [] if backend is None else await asked(backend, task)


def _done(output: dict[str, Any], summary: str) -> WorkOutcome:
    if len(json.dumps(output)) > MOST_OUTPUT_BYTES:
        raise WorkRefusal("cannot")
    return WorkOutcome(output, summary)


def extracted(task: ExtractionTask, others: list[RuleRecord] | None = None) -> dict[str, Any]:
    """The findings of rules, or better those of a model (`others`), that keep the schema."""
    if share(task.objective, f"{task.page.title} {task.page.text}") == 0.0:
        return {"records": []}
    candidates = [_written(found, task) for found in (others or records(task))]
    kept = [each for each in candidates if problem(each["data"], task.schema) is None]
    return {"records": kept[: task.most_records]}


def _written(found: RuleRecord, task: ExtractionTask) -> Mapping[str, Any]:
    return {"data": found.data(), "provenance": found.provenance(task.page.text)}
