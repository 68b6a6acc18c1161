"""The validation of a run's records by a second reading of a sample: how far the two agree."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from app.core import ids
from app.core.db import Reader
from app.core.ids import Noun
from app.domains.records.page_jobs.runs import record_store
from app.domains.records.page_jobs.runs.record_store import RecordSample
from app.domains.records.page_jobs.runs.run_store import JobRun
from app.domains.records.page_jobs.store import PageJob
from app.engine.extraction.site.agreement import interval

AGREED: Final = "agreed"
NOT_COMPARABLE: Final = "not_comparable"
MOST_FAILURES: Final = 50


def validation_of(reader: Reader, run: JobRun, job: PageJob) -> dict[str, Any] | None:
    """Returns what the sample says of the run's records; None where none was wanted."""
    rate = (job.body.get("validation") or {}).get("sample_rate", 0.0)
    if not rate:
        return None
    return agreement_of(record_store.samples(reader, run.id), rate)


def agreement_of(samples: Sequence[RecordSample], rate: float) -> dict[str, Any]:
    """Returns how far two readings of these records agree, with the interval for all records."""
    verdicts = Counter(sample.verdict for sample in samples)
    passed, compared = verdicts["passed"], verdicts["passed"] + verdicts["failed"]
    failed = [sample for sample in samples if sample.verdict == "failed"]
    return {
        "sample_rate": rate,
        "sampled": len(samples),
        "compared": compared,
        "not_comparable": verdicts[NOT_COMPARABLE],
        "passed": passed,
        "failed": len(failed),
        "pass_rate": round(passed / compared, 4) if compared else None,
        "interval_95": [round(x, 4) for x in interval(passed, compared)] if compared else None,
        "by": "other_methods",
        "fields": _fields(samples),
        "failures": [_failure(sample) for sample in failed[:MOST_FAILURES]],
    }


def _failure(sample: RecordSample) -> dict[str, Any]:
    record = ids.public(Noun.RECORD, sample.record_id)
    return {"record": record, "fields": sample.fields}


def _fields(samples: Sequence[RecordSample]) -> dict[str, dict[str, int]]:
    """By pointer, in how many records a field was compared, and in how many it agreed."""
    fields: dict[str, dict[str, int]] = {}
    for sample in samples:
        for field in sample.fields:
            counts = fields.setdefault(field["pointer"], {"compared": 0, "agreed": 0})
            counts["compared"] += field["verdict"] != NOT_COMPARABLE
            counts["agreed"] += field["verdict"] == AGREED
    return fields
