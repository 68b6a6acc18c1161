"""Jobs that go on while somebody looks: their pages follow them to their end by themselves."""

import re
from typing import Any

import pytest

from app.core import db
from tests import job_pages
from tests.browser.clicks import Clicks
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
    page.locator("#progress").wait_for(state="detached")


def test_without_scripts_a_page_of_a_running_job_loads_itself_again(visit: Any, site: Site) -> None:
    job_id = new_job(site)
    page = visit(f"/extractions/{job_id}", scripts=False)
    assert page.locator("meta[http-equiv=refresh]").count() == 1
    end(job_id)
    page.get_by_role("button", name="Run again").wait_for()
    assert page.locator("meta[http-equiv=refresh]").count() == 0


def test_why_a_job_failed_is_two_clicks_away(visit: Any, site: Site) -> None:
    page = visit("/extractions")
    click = Clicks(page)
    click.on(page.locator("#status-failed"))
    page.wait_for_url("**status=failed*")
    click.on(page.locator(f"#open-{site.ids['failed_job']}"))
    page.wait_for_load_state()
    assert click.count == 2
    told = page.get_by_role("region", name="Pages that could not be read").inner_text()
    assert "Port not allowed" in told
    assert "EXTRACT_FETCH_ALLOW=intranet.example.org:8080" in told


def newest(site: Site) -> str:
    return str(site.api("GET", "/v1/extract/jobs?limit=1")["jobs"][0]["id"])


def job_of(page: Any) -> str:
    """The job that the address of a page names."""
    return re.findall(r"job_[a-z0-9]+", page.url)[0]


def test_from_an_address_to_a_table_takes_five_clicks(visit: Any, site: Site) -> None:
    page = visit("/extractions")
    click = Clicks(page)
    click("link", "New extraction")
    page.wait_for_url("**/extractions/new")
    until(page, lambda: page.evaluate("document.activeElement.id") == "address")
    page.keyboard.type(job_pages.URL)
    click("button", "Find fields")
    page.wait_for_url("**/extractions/new?page=*")
    first = job_of(page)
    end(first)
    until(page, lambda: newest(site) != first)
    page.wait_for_url(f"**/extractions/new?page={newest(site)}")
    end(newest(site))
    page.get_by_role("textbox", name="Value of price on the page").wait_for()
    assert page.locator("[name='field.1.value']").input_value() == "129.5"
    page.locator("[name='field.1.name']").fill("cost")
    click("button", "Start")
    page.wait_for_url("**/extractions/job_*")
    body = site.api("GET", f"/v1/extract/jobs/{job_of(page)}/request")["request"]
    assert body["schema"]["properties"]["cost"] == {"type": "number"}
    assert body["examples"][0]["data"]["cost"] == 129.5
    end(job_of(page))
    page.get_by_role("button", name="Run again").wait_for()
    click.on(page.locator(".menu summary"))
    with page.expect_download() as download:
        click("link", "CSV (all 1)")
    assert download.value.suggested_filename.endswith(".csv")
    assert click.count == 5


def test_without_scripts_the_fields_of_a_page_are_found_with_one_more_click(
    visit: Any, site: Site
) -> None:
    page = visit("/extractions/new", scripts=False)
    page.fill("#address", job_pages.URL)
    page.click("#find-fields")
    page.wait_for_url("**/extractions/new?page=*")
    first = job_of(page)
    end(first)
    page.click("#look-for-fields")
    page.wait_for_url(lambda address: first not in address)
    end(job_of(page))
    page.get_by_role("textbox", name="Value of price on the page").wait_for()


def test_only_the_inputs_of_the_chosen_source_are_shown_without_scripts(visit: Any) -> None:
    page = visit("/extractions/new?template=product", scripts=False)
    seen = {name: page.locator(f"#{name}") for name in ("address", "query", "max_depth")}
    assert [name for name, input in seen.items() if input.is_visible()] == ["address"]
    page.select_option("#source", "search")
    assert [name for name, input in seen.items() if input.is_visible()] == ["query"]
    page.select_option("#source", "crawl")
    assert [name for name, input in seen.items() if input.is_visible()] == ["address", "max_depth"]


def test_both_views_of_a_schema_are_brought_together_without_scripts(visit: Any) -> None:
    page = visit("/extractions/new?template=own", scripts=False)
    page.locator("[name='field.0.name']").fill("colour")
    page.get_by_text("Advanced: JSON Schema").click()
    page.click("#more-fields")
    page.wait_for_load_state()
    page.locator("[name='field.2.name']").wait_for(state="detached")
    page.get_by_text("Advanced: JSON Schema").click()
    schema = page.locator("#schema")
    assert '"colour": {"type": "string"}' in schema.input_value()
    schema.fill('{"type": "object", "properties": {"size": {"type": "integer"}}}')
    page.click("#show-as-fields")
    page.locator("[name='field.0.name'][value='size']").wait_for()
    assert page.locator("[name='field.0.type']").input_value() == "integer"


def test_a_page_is_monitored_with_two_clicks(visit: Any, site: Site) -> None:
    page = visit("/monitors")
    click = Clicks(page)
    click("link", "Add monitor")
    page.wait_for_url("**/monitors/new")
    until(page, lambda: page.evaluate("document.activeElement.id") == "address")
    page.keyboard.type(job_pages.URL)
    click("button", "Add monitor")
    page.wait_for_url("**/monitors/job_*")
    assert "Every day at 07:00" in page.locator("#page-status").inner_text()
    assert click.count == 2


@pytest.mark.parametrize("scripts", [True, False])
def test_an_alert_is_made_where_the_monitor_is(
    visit: Any, site: Site, check: Any, scripts: bool
) -> None:
    site.api("POST", "/v1/webhooks", {"url": "https://hooks.example.org/alerts"})
    page = visit(f"/monitors/{site.ids['monitor']}?from=1&to=3", scripts=scripts)
    page.locator("#alerts summary").click()
    page.select_option("#condition", "failing")
    page.fill("#threshold", "5")
    page.select_option("#channel", label="https://hooks.example.org/alerts")
    if scripts:
        check(page, "alert-form")
    page.get_by_role("button", name="Create alert").click()
    page.wait_for_load_state()
    page.locator("#alerts tr", has_text="https://hooks.example.org/alerts").first.wait_for()
    assert "Runs in a row failed (5)" in page.locator("#alerts table").inner_text()


def test_the_next_runs_follow_the_schedule(visit: Any) -> None:
    page = visit("/monitors/new")
    runs = page.locator("#next-runs li")
    assert all(run.endswith(", 07:00 UTC") for run in runs.all_inner_texts())
    page.select_option("#when", "week")
    page.select_option("#weekday", "0")
    page.fill("#at", "18:30")
    page.keyboard.press("Tab")
    page.locator("#next-runs li", has_text="18:30").last.wait_for()
    assert [run[:3] for run in runs.all_inner_texts()] == ["Sun"] * 5


def test_without_scripts_the_next_runs_are_shown_on_request(visit: Any) -> None:
    page = visit("/monitors/new", scripts=False)
    page.select_option("#when", "cron")
    assert not page.locator("#at").is_visible()
    page.fill("#cron", "30 6 1 * *")
    page.fill("#timezone", "Europe/Berlin")
    page.click("#show-runs")
    page.wait_for_load_state()
    page.locator("#next-runs li", has_text="06:30").last.wait_for()
    runs = page.locator("#next-runs li").all_inner_texts()
    assert len(runs) == 5
    assert all(re.search(r" 01 \w{3} \d{4}, 06:30 CES?T$", run) for run in runs)


@pytest.mark.parametrize("scripts", [True, False])
def test_steps_of_a_workflow_are_added_and_removed_one_by_one(visit: Any, scripts: bool) -> None:
    page = visit("/workflows/new", scripts=scripts)
    names = page.locator("#graph .name")
    assert names.all_text_contents() == ["read", "cheap", "once"]
    page.select_option("#add-type", "validate")
    page.click("#add-step")
    page.wait_for_load_state()
    graph = page.locator("#graph")
    graph.get_by_text("validate", exact=True).first.wait_for()
    assert names.all_text_contents() == ["read", "cheap", "once", "validate"]
    assert page.locator("[name='step.3.needs.once']").is_checked()
    page.click("#remove-1")
    page.wait_for_load_state()
    page.locator("#step-3").wait_for(state="detached")
    graph.get_by_text("validate", exact=True).first.wait_for()
    assert names.all_text_contents() == ["read", "once", "validate"]
    page.locator("[id='step.1.id']").fill("unique")
    page.keyboard.press("Tab")
    if not scripts:
        page.click("#draw")
        page.wait_for_load_state()
    graph.get_by_text("unique", exact=True).first.wait_for()
    assert names.all_text_contents() == ["read", "unique", "validate"]


def test_a_workflow_starts_from_its_steps(visit: Any, site: Site) -> None:
    page = visit("/workflows/new")
    page.locator("[id='step.1.value']").fill("50")
    page.get_by_role("button", name="Start", exact=True).first.click()
    page.wait_for_url("**/workflows/job_*")
    body = site.api("GET", f"/v1/extract/jobs/{job_of(page)}/request")["request"]
    assert body["steps"][1]["with"] == {"pointer": "/price", "operator": "lt", "value": 50}
