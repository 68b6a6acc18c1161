"""Live regions: they refresh, and never in the way of who reads them."""

from typing import Any

import pytest

from tests.browser.site import Site
from tests.browser.specimens import Live, pages
from tests.browser.waiting import until

SEVERAL_POLLS = 600  # milliseconds; a region polls every 100


@pytest.fixture(scope="module")
def answers(site: Site) -> Live:
    live = Live()
    site.app.register_blueprint(pages(live))
    return live


@pytest.fixture
def live(answers: Live) -> Live:
    answers.__init__()  # type: ignore[misc]
    return answers


@pytest.fixture
def page(visit: Any, live: Live) -> Any:
    return visit("/specimens/live", as_=None)


def count(page: Any) -> str:
    text: str = page.locator("#count").inner_text()
    return text


def wait_for_polls(page: Any, live: Live, more: int = 3) -> None:
    """Until the region was asked for, and has shown it."""
    wanted = live.polls + more
    until(page, lambda: int(count(page)) >= wanted)


def polls_meanwhile(page: Any, live: Live) -> int:
    """How often the region was asked for in the time of several polls."""
    on_its_way = "Boolean(document.querySelector('.htmx-request'))"
    until(page, lambda: not page.evaluate(on_its_way))
    before = live.polls
    page.wait_for_timeout(SEVERAL_POLLS)
    return live.polls - before


def test_a_region_refreshes_itself(page: Any, live: Live) -> None:
    wait_for_polls(page, live)
    assert page.locator("#outside").is_visible()


def test_focus_inside_survives_polls(page: Any, live: Live) -> None:
    page.focus("#own")
    wait_for_polls(page, live)
    assert page.evaluate("document.activeElement.id") == "own"


def test_selected_text_stays_selected_until_it_is_let_go(page: Any, live: Live) -> None:
    wait_for_polls(page, live, 1)
    page.evaluate("getSelection().selectAllChildren(document.querySelector('#words'))")
    assert polls_meanwhile(page, live) == 0
    assert page.evaluate("String(getSelection())") == "Some words to select"
    page.evaluate("getSelection().removeAllRanges()")
    wait_for_polls(page, live)


@pytest.mark.parametrize("work", ["#tick", "#more summary", "#field"])
def test_who_is_at_work_inside_is_not_disturbed(page: Any, live: Live, work: str) -> None:
    page.click(work)
    assert polls_meanwhile(page, live) == 0


def test_what_was_typed_stays_when_the_focus_moves_on(page: Any, live: Live) -> None:
    page.fill("#field", "Where do owls")
    page.focus("#own")
    assert polls_meanwhile(page, live) == 0
    page.fill("#field", "")
    page.focus("#own")
    wait_for_polls(page, live)
    assert page.input_value("#field") == ""


def test_pausing_stops_requests_and_is_announced(page: Any, live: Live) -> None:
    wait_for_polls(page, live, 1)
    button = page.get_by_role("button", name="Pause live")
    button.click()
    assert page.get_by_role("status").get_by_text("Live updates paused").is_visible()
    assert button.get_attribute("aria-pressed") == "true"
    assert polls_meanwhile(page, live) == 0
    button.click()
    wait_for_polls(page, live)


def test_an_answer_on_its_way_does_not_change_a_paused_page(page: Any, live: Live) -> None:
    wait_for_polls(page, live, 1)
    held: list[Any] = []
    page.route("**/specimens/live", lambda route: held.append(route))
    until(page, lambda: bool(held))
    page.evaluate("document.addEventListener('htmx:afterRequest', () => { window.answered = 1 })")
    page.get_by_role("button", name="Pause live").click()
    before = count(page)
    held[0].continue_()
    until(page, lambda: page.evaluate("window.answered"))
    assert count(page) == before
    page.get_by_role("button", name="Pause live").click()


def test_a_pause_lasts_on_the_next_page(page: Any, live: Live) -> None:
    page.get_by_role("button", name="Pause live").click()
    page.reload()
    assert polls_meanwhile(page, live) == 0
    page.get_by_role("button", name="Pause live").click()


def test_a_page_without_anything_live_offers_no_pause(visit: Any, live: Live) -> None:
    assert not visit("/specimens/long", as_=None).locator("#pause-live").is_visible()


def test_a_hidden_tab_asks_for_nothing(page: Any, live: Live) -> None:
    page.evaluate("Object.defineProperty(document, 'hidden', {get: () => true})")
    assert polls_meanwhile(page, live) == 0


def test_a_final_state_is_asked_for_no_more(page: Any, live: Live) -> None:
    live.final = True
    until(page, lambda: int(count(page)) >= 1)
    assert polls_meanwhile(page, live) == 0


def test_what_did_not_change_is_not_put_in_again(page: Any, live: Live) -> None:
    live.still = True
    page.get_by_text("still").wait_for()
    page.evaluate("document.querySelector('#count').mine = true")
    before = live.polls
    until(page, lambda: live.polls > before + 1)
    assert page.evaluate("document.querySelector('#count').mine") is True
    assert live.versions[-1]


def test_failures_are_told_and_asked_for_less_often(page: Any, live: Live) -> None:
    live.fails = 503
    note = page.locator("#connection")
    note.wait_for()
    assert note.inner_text().startswith("Last updated ")
    assert note.inner_text().endswith(" ago. Reconnecting")
    assert polls_meanwhile(page, live) == 0


def test_a_session_that_ended_leads_to_the_page_to_sign_in(page: Any, live: Live) -> None:
    live.fails = 401
    page.wait_for_url("**/sign-in")


def test_a_session_that_ended_takes_nothing_that_was_typed(page: Any, live: Live) -> None:
    page.fill("#beside", "Where do owls")
    live.fails = 401
    page.get_by_text("Your session has ended.").wait_for()
    assert page.input_value("#beside") == "Where do owls"


def test_what_another_tab_deleted_is_said_to_be_gone(page: Any, live: Live) -> None:
    live.fails = 404
    page.get_by_text("Not found. It may have been deleted.").wait_for()


def test_the_note_of_failures_goes_when_it_works_again(page: Any, live: Live) -> None:
    live.fails = 503
    page.locator("#connection").wait_for()
    live.fails = 0
    page.evaluate("now => { Date.now = () => now + 31000 }", page.evaluate("Date.now()"))
    page.locator("#connection").wait_for(state="detached")


def test_elapsed_time_goes_on(page: Any) -> None:
    until(page, lambda: " h " in page.locator("#since").inner_text())
