"""The output of an extraction: the records of a page, each value with its quote."""

from collections.abc import Mapping
from typing import Any

from citegrid.node.reading.conformance import problem
from citegrid.node.reading.page import ExtractionTask
from citegrid.node.reading.relevance import share
from citegrid.node.reading.rules import RuleRecord, records


def extracted(task: ExtractionTask, others: list[RuleRecord] | None = None) -> dict[str, Any]:
    """Returns what rules find, or better what `others` (of a model) have, as far as it keeps the
    schema.
    """
    if share(task.objective, f"{task.page.title} {task.page.text}") == 0.0:
        return {"records": []}
    candidates = [_written(found, task) for found in (others or records(task))]
    kept = [each for each in candidates if problem(each["data"], task.schema) is None]
    return {"records": kept[: task.most_records]}


def _written(found: RuleRecord, task: ExtractionTask) -> Mapping[str, Any]:
    return {"data": found.data(), "provenance": found.provenance(task.page.text)}
