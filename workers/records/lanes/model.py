"""The configured model beside the rules, within the tokens that its job may spend."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from app.core.db import Tx
from app.domains.records.page_jobs import store
from app.domains.records.page_jobs.runs import page_store, run_store
from app.domains.records.page_jobs.runs.page_store import JobPage
from app.domains.records.page_jobs.runs.run_store import JobRun
from app.domains.records.page_jobs.runs.types import PageResult
from app.domains.records.page_jobs.store import PageJob
from app.engine.extraction.records.extract import PageRecords
from app.engine.extraction.records.model_fill import Budget, FilledPage, Use, complete
from app.engine.extraction.site.template import Template
from app.engine.models.chat import ChatModel
from workers.models import chat_model
from workers.queue.attempt import Attempt
from workers.records.lanes.page_outcome import ReadingTask

_CALLS_PER_PAGE: Final = 2  # what is no JSON is asked for once more
_MOST_TOKENS: Final = 1_000_000  # of a job that names no limit
_SPARE_SECONDS: Final = 3.0
_COUNTED: Final = ("calls", "input_tokens", "output_tokens", "filled", "agreed", "dropped")


class PageModel:
    """Asks the model about the pages of one run.

    Tokens are taken from the run's before a call and what is left of them is given back behind it,
    so that lanes side by side never spend more than the job allows. What a worker took that died
    stays spent.
    """

    def __init__(self, attempt: Attempt, run: JobRun, job: PageJob, model: ChatModel) -> None:
        wanted = job.body.get("model") or {}
        self._use: Use = wanted.get("use", "fill")
        self._most: int = wanted.get("max_tokens", _MOST_TOKENS)
        self._attempt, self._model = attempt, model
        self._run_id, self._job_id = run.id, job.id

    @classmethod
    def of(cls, attempt: Attempt, run: JobRun, job: PageJob) -> "PageModel | None":
        """None where no model is configured, or the job wants none."""
        model = chat_model(attempt.settings)
        if model is None or job.type != "extraction" or not job.body.get("schema"):
            return None
        made = cls(attempt, run, job, model)
        return None if made._use == "never" else made

    def complete(self, task: ReadingTask, page: JobPage, result: PageResult) -> None:
        """Let the model fill or check the records of a page that was read."""
        read, plan = result.page_records, task.plan
        if not isinstance(read, PageRecords) or plan is None:
            return
        with self._attempt.step() as tx:
            tokens = self._take(tx)
        settings = self._attempt.settings
        seconds = min(settings.model_seconds, self._attempt.seconds_left - _SPARE_SECONDS)
        budget = Budget(
            tokens,
            settings.model_max_input_tokens,
            settings.model_max_output_tokens,
            max(0.0, seconds),
        )
        url = result.final_url or result.url
        template = _template(task, page)
        done = complete(read, plan, self._model, budget, url=url, use=self._use, template=template)
        with self._attempt.step() as tx:
            self._settle(tx, tokens, done)
        result.page_records = replace(done.page, records=task.accepted(done.page.records))

    def _take(self, tx: Tx) -> int:
        """Tokens for all calls about one page, or what is left."""
        settings = self._attempt.settings
        of_a_call = settings.model_max_input_tokens + settings.model_max_output_tokens
        stats = _stats(tx, self._run_id)
        left: int = self._most - stats.get("tokens", 0)
        tokens = max(0, min(_CALLS_PER_PAGE * of_a_call, left))
        run_store.note(tx, self._run_id, {"model": self._counted(stats, tokens)})
        return tokens

    def _settle(self, tx: Tx, taken: int, done: FilledPage) -> None:
        usage, stats = done.usage, _stats(tx, self._run_id)
        counted = self._counted(stats, usage.tokens - taken)
        for name in _COUNTED:
            counted[name] = stats.get(name, 0) + getattr(usage, name)
        settings = self._attempt.settings
        spent = replace(usage, **{name: counted[name] for name in _COUNTED})
        cost = spent.cost(settings.model_input_price, settings.model_output_price)
        if cost is not None:
            counted["cost"] = float(cost)
        if done.budget_reached:
            counted["budget_reached"] = True
        run_store.note(tx, self._run_id, {"model": counted})
        for warning in done.warnings:
            store.warn(tx, self._job_id, warning)

    def _counted(self, stats: Mapping[str, Any], tokens: int) -> dict[str, Any]:
        return {**stats, "name": self._model.name, "tokens": stats.get("tokens", 0) + tokens}


def budget_was_reached(run: JobRun) -> bool:
    """True if some page of a run was not asked about, for want of tokens."""
    return bool((run.stats.get("model") or {}).get("budget_reached"))


def _stats(tx: Tx, run_id: UUID) -> dict[str, Any]:
    """Returns what the run has spent, while nobody else spends."""
    page_store.lock_run(tx, run_id)
    run = run_store.by_id(tx, run_id)
    return dict((run.stats.get("model") or {}) if run else {})


def _template(task: ReadingTask, page: JobPage) -> Template | None:
    """Returns what is known of the site: from its pages, else from an example."""
    example = task.examples.get(page.host)
    return task.templates.get(page.host) or (Template.from_json(example) if example else None)
