"""The side of a run that its workers see: pages to take, to give back and to keep; records."""

from app.domains.records.page_jobs.runs.continuation import LANE_PAGES as LANE_PAGES
from app.domains.records.page_jobs.runs.continuation import LANES as LANES
from app.domains.records.page_jobs.runs.continuation import READING as READING
from app.domains.records.page_jobs.runs.continuation import learn as promise_learning
from app.domains.records.page_jobs.runs.continuation import learnt_from as learnt_from
from app.domains.records.page_jobs.runs.continuation import open_lanes as open_lanes
from app.domains.records.page_jobs.runs.continuation import refill as refill
from app.domains.records.page_jobs.runs.continuation import take as take_turns
from app.domains.records.page_jobs.runs.page_store import AddedPages as AddedPages
from app.domains.records.page_jobs.runs.page_store import JobPage as JobPage
from app.domains.records.page_jobs.runs.page_store import PageCounts as PageCounts
from app.domains.records.page_jobs.runs.page_store import WithReadings as WithReadings
from app.domains.records.page_jobs.runs.page_store import add as add_pages
from app.domains.records.page_jobs.runs.page_store import bodies as bodies
from app.domains.records.page_jobs.runs.page_store import counts as counts
from app.domains.records.page_jobs.runs.page_store import elsewhere as elsewhere
from app.domains.records.page_jobs.runs.page_store import lock_run as lock_run
from app.domains.records.page_jobs.runs.page_store import outcomes as outcomes
from app.domains.records.page_jobs.runs.page_store import read_of_hosts as read_of_hosts
from app.domains.records.page_jobs.runs.page_store import set_verdict as set_verdict
from app.domains.records.page_jobs.runs.page_store import urls_of_outcomes as urls_of_outcomes
from app.domains.records.page_jobs.runs.page_store import verdicts as verdicts
from app.domains.records.page_jobs.runs.page_store import with_readings as with_readings
from app.domains.records.page_jobs.runs.page_turn_store import MOST_TRIES as MOST_TRIES
from app.domains.records.page_jobs.runs.page_turn_store import again as again
from app.domains.records.page_jobs.runs.page_turn_store import await_browser as await_browser
from app.domains.records.page_jobs.runs.page_turn_store import give_back as give_back
from app.domains.records.page_jobs.runs.page_turn_store import hand_over as hand_over
from app.domains.records.page_jobs.runs.page_turn_store import next_due as next_due
from app.domains.records.page_jobs.runs.page_turn_store import queued_hosts as queued_hosts
from app.domains.records.page_jobs.runs.page_turn_store import take as take_pages
from app.domains.records.page_jobs.runs.page_turn_store import taken as taken_pages
from app.domains.records.page_jobs.runs.page_turn_store import taken_hosts as taken_hosts
from app.domains.records.page_jobs.runs.record_store import RecordData as RecordData
from app.domains.records.page_jobs.runs.record_store import RecordSample as RecordSample
from app.domains.records.page_jobs.runs.record_store import SampledRecord as SampledRecord
from app.domains.records.page_jobs.runs.record_store import copy as copy_records
from app.domains.records.page_jobs.runs.record_store import draw as draw
from app.domains.records.page_jobs.runs.record_store import filled as filled
from app.domains.records.page_jobs.runs.record_store import judge as judge
from app.domains.records.page_jobs.runs.record_store import of_pages as records_of_pages
from app.domains.records.page_jobs.runs.record_store import samples as samples
from app.domains.records.page_jobs.runs.record_store import unsatisfied as unsatisfied
from app.domains.records.page_jobs.runs.record_store import values_after as values_after
from app.domains.records.page_jobs.runs.results import READ as READ
from app.domains.records.page_jobs.runs.results import WELL as WELL
from app.domains.records.page_jobs.runs.results import keep as keep_pages
from app.domains.records.page_jobs.runs.results import rewrite as rewrite_page
from app.domains.records.page_jobs.runs.results import unpacked as unpacked
from app.domains.records.page_jobs.runs.run_store import JobRun as JobRun
from app.domains.records.page_jobs.runs.run_store import by_id as run
from app.domains.records.page_jobs.runs.run_store import count as count_in_run
from app.domains.records.page_jobs.runs.run_store import ended as ended_runs
from app.domains.records.page_jobs.runs.run_store import learn as keep_templates
from app.domains.records.page_jobs.runs.run_store import note as note
from app.domains.records.page_jobs.runs.run_store import set_stage as set_stage
from app.domains.records.page_jobs.runs.run_store import set_unpaced as set_unpaced
from app.domains.records.page_jobs.store import PageJob as PageJob
from app.domains.records.page_jobs.store import of_anybody as job
from app.domains.records.page_jobs.store import set_schedule as set_schedule

__all__ = [
    "add_pages",
    "copy_records",
    "count_in_run",
    "draw",
    "ended_runs",
    "job",
    "judge",
    "keep_pages",
    "keep_templates",
    "promise_learning",
    "records_of_pages",
    "rewrite_page",
    "run",
    "take_pages",
    "take_turns",
    "taken_pages",
]
