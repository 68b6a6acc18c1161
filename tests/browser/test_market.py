"""Journeys of consumers and of owners of nodes."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.seeds.market import MODEL
from tests.browser.site import Site


@pytest.fixture(scope="module", autouse=True)
def _planted(site: Site) -> None:
    site.seed("market")


def test_offers_are_filtered_sorted_and_compared_without_scripts(visit: Any) -> None:
    page = visit(f"/offers?model={MODEL}", scripts=False, as_=None)
    page.get_by_label("Minimum uptime").select_option("90")
    page.get_by_role("button", name="Show").click()
    page.get_by_role("link", name=re.compile("Uptime, 30 d")).click()
    assert page.locator("[aria-sort=descending]").inner_text().startswith("Uptime, 30 d")
    rows = page.locator("tbody tr")
    assert "Ada's computers" in rows.first.inner_text()
    for box in (rows.nth(0), rows.nth(1)):
        box.get_by_role("checkbox").check()
    page.get_by_role("button", name="Compare selected").click()
    page.wait_for_load_state()
    assert page.locator("h1").inner_text() == "Compare 2 offers"
    assert page.locator("tbody strong").count() > 0


def test_an_offer_is_used_by_copying_its_lines(visit: Any, site: Site) -> None:
    page = visit(f"/offers?model={MODEL}", as_=None)
    page.get_by_role("link", name="Use rack 2 of North lab").click()
    page.wait_for_load_state()
    assert site.ids["offer"] in page.locator("pre").first.inner_text()
    assert page.get_by_role("button", name="Copy").first.is_visible()


def test_a_registered_node_is_waited_for_and_then_seen(
    visit: Any, site: Site, check: Callable[..., None]
) -> None:
    page = visit("/nodes/new", as_="newcomer")
    page.get_by_label("Name").fill("laptop")
    page.get_by_role("button", name="Register node").click()
    page.wait_for_load_state()
    token = page.locator("code", has_text=re.compile("^cgn_")).inner_text()
    node_id = page.locator("code", has_text=re.compile("^node_")).first.inner_text()
    heartbeat = page.locator("#heartbeat")
    assert "Waiting for the first heartbeat" in heartbeat.inner_text()
    check(page, "node-token")
    answer = site.app.test_client().post(
        f"/v1/nodes/{node_id}/heartbeat",
        json={"in_flight": 0},
        headers={"Authorization": f"Bearer {token}"},
    )
    assert answer.status_code == 200
    heartbeat.get_by_text("Last heartbeat").wait_for()
    assert "after the operator of this server approves it" in heartbeat.inner_text()
