"""Stages of a run over pages at which a process of the product may die, once each."""

from collections.abc import Callable, Mapping
from typing import Any

from app.core.db import Tx
from app.domains.records.page_jobs.runs import continuation, page_turn_store, record_store, results
from tests.fault.long_work import mortal
from workers.records.lanes import lane
from workers.records.runs import run, templates

# After this function a process dies, and once more after the commit ("... done").
STAGES: dict[str, tuple[Any, str]] = {
    "planning": (continuation, "open_lanes"),
    "taking": (continuation, "take"),
    "keeping": (lane, "keep"),
    "ending": (page_turn_store, "hand_over"),
    "learning": (templates, "learn"),
    "rewriting": (results, "rewrite"),
    "sampling": (record_store, "judge"),
    "joining": (run, "end_run"),
}
DEATHS = ("page", *STAGES, *(f"{stage} done" for stage in STAGES if stage != "learning"))


def die_at_stages() -> None:
    make_mortal(STAGES)
    real = lane.result_of

    def result_of(*args: Any, **options: Any) -> Any:
        mortal("page")
        return real(*args, **options)

    lane.result_of = result_of


def make_mortal(stages: Mapping[str, tuple[Any, str]]) -> None:
    """Let a process die after each of these functions of modules."""
    for stage, (module, name) in stages.items():
        setattr(module, name, _mortal_at(stage, getattr(module, name)))


def _mortal_at(stage: str, real: Callable[..., Any]) -> Callable[..., Any]:
    def act(*args: Any, **options: Any) -> Any:
        result = real(*args, **options)
        mortal(stage)
        if isinstance(args[0], Tx):
            args[0].after_commit.append(lambda: mortal(f"{stage} done"))
        return result

    return act
