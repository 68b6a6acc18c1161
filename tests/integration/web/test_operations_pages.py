"""What operators see and do on pages: queues, workers, jobs, corpora."""

import re
from unittest.mock import Mock
from uuid import UUID

import pytest
from flask import Flask

from app.core import db, ids
from app.core.ids import Noun
from app.domains.account.accounts.service import set_operator
from app.domains.account.audit import store as audit_store
from app.domains.campaigns.reviews import service as reviews
from app.domains.library.corpora import service as corpora
from app.domains.queue.jobs import kinds, store
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.operations import worker_store
from app.domains.queue.jobs.operations.queues import queue_store, samples
from app.web.pages.operations import reviewers
from tests import builders
from tests.visiting import Visitor

KIND = kinds.register("test.pages", queue="pages of tests", deadline_seconds=600)


class Broken(jobs.WorkerLost):
    """It broke <script>alert(1)</script>."""

    code = "test_broken"


@pytest.fixture(scope="module")
def app(site: Flask) -> Flask:
    with db.transaction() as tx:
        queue_store.establish(tx, [KIND.queue])
        samples.sample(tx)
    return site


@pytest.fixture(autouse=True)
def _manned(app: Flask) -> None:
    """A worker that was heard of just now: after some seconds of silence it would be gone."""
    with db.transaction() as tx:
        worker_store.beat(tx, worker_store.Beat("host:1", "host:tests", [KIND.queue], 2, "0.1"))


@pytest.fixture(scope="module")
def operator(app: Flask) -> Visitor:
    with db.transaction() as tx:
        account = builders.account(tx, "operator@example.org")
        set_operator(tx, "operator@example.org", True)
    return Visitor(app, account)


def failed() -> UUID:
    with db.transaction() as tx:
        id = jobs.enqueue(tx, KIND, ids.new(), {"corpus_id": "c"})
        [claimed] = jobs.claim(tx, [id], "host:1:2", 30.0)
        jobs.fail(tx, claimed, Broken(), retryable=False)
    return id


def waiting() -> UUID:
    with db.transaction() as tx:
        return jobs.enqueue(tx, KIND, ids.new(), {})


def state(id: UUID) -> str:
    with db.reading() as reader:
        job = store.by_id(reader, id)
    assert job is not None
    return job.state


def test_a_queue_is_paused_and_resumed_by_its_button(operator: Visitor) -> None:
    waiting()
    page = operator.get("/ops").text
    assert "pages of tests is flowing: 1 waiting" in page
    assert "host:tests" in page
    assert operator.post("/ops/queues/pages of tests/pause").status_code == 303
    page = operator.get("/ops", live=True).text
    assert "Resume pages of tests" in page
    assert "operator@example.org" in page
    assert "<html" not in page
    operator.post("/ops/queues/pages of tests/resume")
    assert "Pause pages of tests" in operator.get("/ops").text


def test_a_queue_has_a_page_with_charts_for_each_window(operator: Visitor) -> None:
    page = operator.get("/ops/queues/pages of tests?window=24h").text
    assert page.count("<figure") == 3
    assert operator.get("/ops/queues/nothing").status_code == 404


def test_a_worker_is_drained_by_its_button(operator: Visitor) -> None:
    assert operator.post("/ops/workers/host:1/drain").status_code == 303
    assert "Draining" in operator.get("/ops").text
    assert operator.post("/ops/workers/host:1/forget").status_code == 409


def test_failed_jobs_are_found_by_state_and_shown_with_their_cause(operator: Visitor) -> None:
    id = ids.public(Noun.TASK, failed())
    page = operator.get("/ops/jobs?state=failed&kind=test.pages").text
    assert id in page
    assert "Retry" in page
    page = operator.get(f"/ops/jobs/{id}").text
    assert "test_broken" in page
    assert "<script>alert" not in page
    assert "corpus_id" in page
    assert id in operator.get("/ops/jobs.csv?state=failed").text


def test_a_filter_that_matches_nothing_or_is_none_says_so(operator: Visitor) -> None:
    assert "Nothing matches this filter" in operator.get("/ops/jobs?kind=nothing").text
    refused = operator.get("/ops/jobs?account=x")
    assert (refused.status_code, "Invalid filter" in refused.text) == (422, True)
    assert operator.get(f"/ops/jobs?kind={'x' * 5000}").status_code == 422


def test_many_jobs_are_retried_with_the_number_beforehand(operator: Visitor, app: Flask) -> None:
    found = [failed(), failed()]
    page = operator.get("/ops/bulk/new?action=retry&kind=test.pages").text
    assert "Review before you confirm" in page
    form = {"action": "retry", "state": "failed", "kind": "test.pages", "key": "once"}
    first, again = operator.post("/ops/bulk", form), operator.post("/ops/bulk", form)
    assert first.location == again.location
    assert "Retrying" in operator.get(first.location).text
    assert first.location.rpartition("/")[2] in operator.get("/ops/bulk").text
    assert {state(id) for id in found} == {"failed"}  # a worker does it


def test_a_job_is_retried_and_cancelled_by_its_buttons(operator: Visitor) -> None:
    id = failed()
    path = f"/ops/jobs/{ids.public(Noun.TASK, id)}"
    assert operator.post(f"{path}/retry").status_code == 303
    assert state(id) == "queued"
    operator.post(f"{path}/cancel")
    assert state(id) == "cancelled"
    assert operator.get(path, live=True).status_code == 286


def test_a_site_is_added_shown_refreshed_and_removed(operator: Visitor) -> None:
    assert "Nothing is indexed yet" in operator.get("/corpora").text
    site = {"name": "docs", "kind": "site", "location": "https://docs.example.org/"}
    refused = operator.post("/corpora", site | {"name": "No Name", "max_pages": "x"})
    assert (refused.status_code, "whole number" in refused.text) == (422, True)
    folder = operator.post("/corpora", site | {"kind": "folder", "location": "/etc"})
    assert folder.status_code == 422
    assert operator.post("/corpora", site | {"every": "86400"}).location == "/corpora/docs"
    assert operator.post("/corpora", site).status_code == 422
    assert "Waiting for a worker" in operator.get("/corpora/docs").text
    assert "docs.example.org" in operator.get("/corpora").text
    assert operator.post("/corpora/docs/refresh").status_code == 303
    operator.post("/corpora/docs/remove")
    assert operator.get("/corpora/docs").status_code == 404


def test_the_list_of_corpora_counts_their_pages_once(
    operator: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting = Mock(return_value=[])
    monkeypatch.setattr("app.domains.library.corpora.store.counts", counting)
    assert operator.get("/corpora").status_code == 200
    counting.assert_called_once()


def test_the_corpora_beyond_the_first_page_are_on_the_next_also_when_one_is_removed_meanwhile(
    operator: Visitor,
) -> None:
    with db.transaction() as tx:
        for n in range(52):
            corpora.add(tx, f"many-{n:03}", "site", f"https://m{n}.example.org/", {})
    page = operator.get("/corpora").text
    shown = re.findall(r'id="corpus-(many-\d+)"', page)
    [following] = re.findall(r'id="next-page" rel="next" href="([^"]+)"', page)
    operator.post(f"/corpora/{shown[-1]}/remove")
    rest = re.findall(r'id="corpus-(many-\d+)"', operator.get(following).text)
    assert shown + rest == [f"many-{n:03}" for n in range(52)]


def test_a_cursor_that_cannot_be_stored_is_refused(operator: Visitor) -> None:
    assert operator.get("/corpora?cursor=%00").status_code == 400


def reviewer(email: str) -> UUID:
    """An account with a node that votes."""
    with db.transaction() as tx:
        judge = builders.account(tx, email)
        tx.execute(
            "insert into nodes (id, account_id, name, work, options, max_bytes, capacity,"
            " admitted_at, token_digest) values (%(id)s, %(judge)s, 'cellar', '{validation}', '{}',"
            " 1, 1, now(), %(email)s)",
            {"id": ids.new(), "judge": judge, "email": email},
        )
    return judge


def test_reviewers_beyond_the_first_page_are_on_the_next(
    operator: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reviewers, "MOST_SHOWN", 1)
    for email in ("first@example.org", "second@example.org"):
        reviewer(email)
    page = operator.get("/ops/reviewers").text
    [following] = re.findall(r'id="next-page" rel="next" href="([^"]+)"', page)
    assert ("first@example.org" in page, "second@example.org" in page) == (True, False)
    page = operator.get(following).text
    assert ("first@example.org" in page, "second@example.org" in page) == (False, True)
    assert 'id="next-page"' not in page


def test_an_operator_trusts_a_reviewer_and_undoes_it(operator: Visitor) -> None:
    judge = reviewer("judge@example.org")
    assert "In probation" in operator.get("/ops/reviewers").text
    operator.post("/ops/reviewers/trust", {"email": "judge@example.org"})
    with db.reading() as reader:
        assert not reviews.reputation(reader, judge).in_probation
    assert "Trust no longer" in operator.get("/ops/reviewers").text
    operator.post("/ops/reviewers/distrust", {"email": "judge@example.org"})
    with db.reading() as reader:
        assert reviews.reputation(reader, judge).in_probation
        changes = audit_store.of_account(reader, judge, "reviewer", None, 10)
    assert [each.action for each in changes] == ["reviewer.distrusted", "reviewer.trusted"]
