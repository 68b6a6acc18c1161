"""Jobs that go on while somebody looks: their pages follow them to their end by themselves."""

from typing import Any

import pytest

from app.core import db
from tests import job_pages
from tests.browser.site import Site
from tests.browser.waiting import until


@pytest.fixture(autouse=True)
def _seeded(site: Site) -> None:
    site.seed("extractions")


def new_job(site: Site) -> str:
    with db.transaction() as tx:
        return job_pages.waiting(tx, site.account)


def end(job_id: str) -> None:
    with db.transaction() as tx:
        job_pages.read_waiting(tx, job_id)


def test_the_end_of_a_job_needs_no_reload(visit: Any, site: Site) -> None:
    job_id = new_job(site)
    page = visit(f"/extractions/{job_id}")
    page.locator("#progress").wait_for()
    page.evaluate("document.body.mine = true")
    end(job_id)
    page.get_by_role("button", name="Run again").wait_for()
    assert page.locator("#page-status .chip").first.inner_text().endswith("Completed")
    assert page.locator("#viewer th a").first.inner_text() == "name"
    assert page.frame_locator("iframe.stored").locator("#hit").inner_text() == "Desk lamp Alder"
    assert page.get_by_role("heading", name="Timeline").is_visible()
    assert page.locator("#progress").count() == 0
    assert page.evaluate("document.body.mine") is True


@pytest.mark.parametrize("part", ["/pages", "/request"])
def test_each_part_of_a_job_follows_it(visit: Any, site: Site, part: str) -> None:
    job_id = new_job(site)
    page = visit(f"/extractions/{job_id}{part}")
    page.locator("#progress").wait_for()
    end(job_id)
    page.get_by_role("button", name="Run again").wait_for()
    assert page.locator("#progress").count() == 0


def test_without_scripts_a_page_of_a_running_job_loads_itself_again(visit: Any, site: Site) -> None:
    job_id = new_job(site)
    page = visit(f"/extractions/{job_id}", scripts=False)
    assert page.locator("meta[http-equiv=refresh]").count() == 1
    end(job_id)
    until(page, lambda: page.locator("meta[http-equiv=refresh]").count() == 0)
    assert page.get_by_role("button", name="Run again").is_visible()


def test_why_a_job_failed_is_one_click_away(visit: Any, site: Site) -> None:
    page = visit("/extractions?status=failed")
    page.click(f"#open-{site.ids['failed_job']}")
    told = page.get_by_role("region", name="Pages that could not be read").inner_text()
    assert "Port not allowed" in told
    assert "EXTRACT_FETCH_ALLOW=intranet.example.org:8080" in told
