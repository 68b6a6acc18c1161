"""A refresh is a pass over a corpus by one job after another."""

from uuid import UUID

import pytest

from app.core import db
from app.domains.library.corpora import service as corpora
from app.domains.library.corpora.service import Refresh
from tests.integration.corpora.sites import Operator, Site
from workers.index import corpora as worker


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """A job visits one page."""
    monkeypatch.setattr(worker, "SLICE_SECONDS", 0.0)
    monkeypatch.setattr(worker, "SLICE_PER_SETUP", 0.0)


def chain(site: Site, pages: int) -> None:
    """Pages of which each is found on the one before."""
    for number in range(pages):
        site.page(f"/{number}" if number else "/", f"animal{number}x", f"/{number + 1}")


def last(name: str = "zoo") -> Refresh:
    with db.reading() as reader:
        refresh = corpora.last_refresh(reader, name)
    assert refresh is not None
    return refresh


def waiting() -> list[UUID]:
    with db.reading() as reader:
        return list(db.values(reader, "select id from jobs where state = 'queued'"))


def work_on(operator: Operator, jobs: int = 100) -> int:
    """Do the jobs that are promised, one after another; how many."""
    for done in range(jobs):
        promised = waiting()
        if not promised:
            return done
        (id,) = promised
        operator.work(id)
    return jobs


@pytest.mark.usefixtures("short")
def test_a_refresh_by_many_jobs_reads_each_page_once_and_counts_what_all_of_them_did(
    operator: Operator, site: Site
) -> None:
    chain(site, 6)
    operator.add("zoo", "site", site.url)
    first = operator.start("zoo")
    assert last().state == "queued"
    operator.work(first)
    (second,) = waiting()  # promised in the transaction that ended the first
    assert (operator.job(first).state, last().job_id) == ("succeeded", second)
    operator.work(second)
    assert (last().state, last().progress["fetched"]) == ("running", 2)
    assert work_on(operator) >= 4
    assert last().state == "succeeded"
    assert {site.asked[f"/{n}"] for n in range(1, 6)} == {1}
    assert operator.found("animal5x") == [f"{site.url}/5"]
    progress = last().progress
    assert (progress["fetched"], progress["indexed"], progress["failed"]) == (7, 6, 1)
    assert progress["bytes"] == sum(len(page) for page in site.pages.values())


@pytest.mark.usefixtures("short")
def test_a_refresh_that_failed_is_gone_on_with_by_the_next(operator: Operator, site: Site) -> None:
    chain(site, 6)
    operator.add("zoo", "site", site.url)
    operator.start("zoo")
    work_on(operator, 3)
    with db.transaction() as tx:
        tx.execute("update jobs set state = 'failed', finished_at = now() where state = 'queued'")
    operator.start("zoo")
    work_on(operator)
    assert last().state == "succeeded"
    assert {site.asked[f"/{n}"] for n in range(1, 6)} == {1}


@pytest.mark.usefixtures("short")
def test_pages_that_are_gone_are_removed_when_the_pass_is_complete(
    operator: Operator, site: Site
) -> None:
    chain(site, 4)
    operator.add("zoo", "site", site.url)
    operator.start("zoo")
    work_on(operator)
    site.page("/1", "animal1x")
    operator.start("zoo")
    work_on(operator)
    assert set(operator.outcomes(site)) == {"/", "/1"}


@pytest.mark.usefixtures("short")
def test_a_page_that_fails_for_the_moment_is_tried_once_more_at_the_end_by_a_later_job(
    operator: Operator, site: Site
) -> None:
    site.page("/", "welcome", "/a", "/b", "/c")
    site.pages["/a"] = (503, {}, "")
    site.page("/b", "badgers")
    site.page("/c", "camels")
    operator.add("zoo", "site", site.url)
    operator.start("zoo")
    work_on(operator)
    assert site.asked["/a"] == 2
    assert (last().progress["fetched"], last().progress["failed"]) == (4, 1)


@pytest.mark.usefixtures("short")
def test_a_host_that_is_down_is_given_up_across_jobs(
    operator: Operator, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.index.crawl.HOPELESS", 5)
    site.page("/", "welcome", *(f"/{number}" for number in range(30)))
    for number in range(30):
        site.pages[f"/{number}"] = (503, {}, "")
    operator.add("zoo", "site", site.url)
    operator.start("zoo")
    work_on(operator)
    assert sum(site.asked[f"/{number}"] for number in range(30)) < 10


@pytest.mark.usefixtures("short")
def test_the_limit_of_pages_does_not_count_redirects_twice_in_many_jobs(
    operator: Operator, site: Site
) -> None:
    site.page("/", "welcome", *(f"/old{number}" for number in range(4)))
    for number in range(4):
        site.pages[f"/old{number}"] = (301, {"Location": f"/new{number}"}, "")
        site.page(f"/new{number}", f"newt{number}x")
    operator.add("zoo", "site", site.url, max_pages=5)
    operator.start("zoo")
    work_on(operator)
    assert operator.found("newt3x") == [f"{site.url}/new3"]


@pytest.mark.usefixtures("short")
def test_a_scheduled_refresh_between_two_jobs_of_one_is_skipped(
    operator: Operator, site: Site
) -> None:
    chain(site, 4)
    with db.transaction() as tx:
        corpora.add(tx, "zoo", "site", site.url, refresh_every_seconds=3600)
    first = operator.start("zoo")
    operator.work(first)
    (second,) = waiting()
    with db.transaction() as tx:
        payload = {"corpus_id": str(operator.job(first).payload["corpus_id"])}
        tick = corpora.jobs.enqueue(tx, corpora.REFRESH, corpora.jobs.OPERATOR, payload)
    operator.work(tick)
    assert (operator.job(tick).progress["stage"], last().job_id) == ("skipped", second)


def test_a_job_rests_well_before_its_deadline(operator: Operator, site: Site) -> None:
    chain(site, 2)
    operator.add("zoo", "site", site.url)
    id = operator.start("zoo")
    seconds: list[float] = []
    run = worker.Crawl.run

    def noted(crawl: worker.Crawl, limit: float) -> worker.End:
        seconds.append(limit)
        return run(crawl, limit)

    with db.transaction() as tx:
        tx.execute("update jobs set deadline_at = now() + interval '40 seconds'")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker.Crawl, "run", noted)
        operator.work(id)
    assert 0 < seconds[0] <= 20
