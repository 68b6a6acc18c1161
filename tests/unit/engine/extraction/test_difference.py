"""The text of watched pages: what is noise, what is a change, and what waits for the next run.

Fetches with noise only, and as many with one edit and the same noise, each after three quiet runs.
"""

import random
from collections import Counter
from datetime import date, timedelta
from functools import partial

import pytest

from app.engine.extraction.changes.difference import MOST_BYTES, QUIET, Noise, differing
from app.engine.extraction.changes.masks import dayless, timeless
from app.engine.extraction.changes.page_lines import PageLine, PageLines, lines_of
from app.engine.extraction.changes.text_state import LEARNING_RUNS, TextState, begun
from app.engine.pages.formats.html import parse
from tests.costs import times_as_much
from tests.unit.engine.extraction.changing_pages import Page, made

DAY = date(2026, 11, 22)
FETCHES = 30


def seen(page: Page, noise: random.Random, day: int) -> PageLines:
    markup = page.fetch(noise, days_later=day)
    lines = tuple(PageLine(place, text) for place, text in lines_of(parse(markup)))
    return PageLines(lines, page.day + timedelta(days=day), "en")


def run(state: TextState, page: Page, noise: random.Random, n: int) -> tuple[bool, TextState]:
    """One run, a day after the last: two looks where one does not do."""
    first = seen(page, noise, n)
    if state.is_same(first, n):
        return False, state.quiet(n)
    difference, state = state.judge(first, seen(page, noise, n), n)
    return difference is not None, state


def reports(state: TextState, page: Page, noise: random.Random, runs: range) -> int:
    """In how many of the runs something was reported."""
    count = 0
    for n in runs:
        reported, state = run(state, page, noise, n)
        count += reported
    return count


@pytest.fixture(scope="module")
def tally() -> Counter[str]:
    count: Counter[str] = Counter()
    for seed in range(0, 3 * FETCHES, 3):
        noise, page = random.Random(seed * 7 + 1), made(seed)
        state = begun(seen(page, noise, 0), seen(page, noise, 0), 0)
        for n in range(1, LEARNING_RUNS + 1):
            _, state = run(state, page, noise, n)
        edited, _ = page.edited(random.Random(seed), tracked=False)
        count["false"] += reports(state, page, noise, range(4, 5))
        count["found"] += bool(reports(state, edited, noise, range(4, 6)))
    return count


def test_no_fetch_with_noise_only_alarms(tally: Counter[str]) -> None:
    assert tally["false"] == 0


def test_no_edit_of_the_text_is_missed(tally: Counter[str]) -> None:
    assert tally["found"] == FETCHES


def page_of(*texts: str, place: str = "body/p", day: date = DAY) -> PageLines:
    return PageLines(tuple(PageLine(place, text) for text in texts), day, "en")


def test_the_order_of_lines_says_nothing() -> None:
    assert not differing(page_of("One", "Two", "Two"), page_of("Two", "One", "Two"), QUIET)


def test_a_line_that_is_there_once_more_differs() -> None:
    difference = differing(page_of("One"), page_of("One", "One"), QUIET)
    assert [line.text for line in difference.gained] == ["One"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Updated 3 hours ago", "Updated 14 minutes ago"),
        ("Vor 3 Stunden", "vor 12 Tagen"),
        ("Il y a 2 jours", "il y a 12 heures"),
        ("3小时前", "14小时前"),
        ("1,204 views", "1,377 views"),
        ("Online now: 12", "Online now: 340"),
        ("Made in 0.12 s", "Made in 0.409 s"),
        ("“It’s here” – now", '"It\'s  here" - now'),
    ],
)
def test_relative_times_counters_and_typography_are_masked(before: str, after: str) -> None:
    assert timeless(before).lower() == timeless(after).lower()


@pytest.mark.parametrize("figures", ["1.1,", "1"])
def test_a_line_of_figures_costs_its_length(figures: str) -> None:
    large, small = (partial(timeless, figures * many) for many in (4_000, 1_000))
    assert times_as_much(large, small, 10, floor_seconds=0.001) < 10


@pytest.mark.parametrize("text", ["9.50 EUR", "in 3 colours", "12 seats", "since 3 May 2019"])
def test_other_numbers_are_not_masked(text: str) -> None:
    assert timeless(text) == text


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("As of Sunday, 22 November 2026.", "en"),
        ("As of Nov 22nd, 2026.", None),
        ("As of 2026-11-22.", "xx"),
        ("As of 22.11.2026.", "de"),
        ("As of Sonntag, 22. November 2026.", "de"),
        ("As of 22 de noviembre de 2026.", "es"),
        ("As of 22 novembre 2026.", "fr"),
    ],
)
def test_the_day_of_the_fetch_is_masked_as_people_write_it(text: str, language: str | None) -> None:
    assert dayless(text, DAY, language) == "As of ~."


def test_the_date_of_today_is_no_change_tomorrow() -> None:
    today = page_of("Sunday, 22 November 2026")
    tomorrow = page_of("Monday, 23 November 2026", day=DAY + timedelta(days=1))
    assert not differing(today, tomorrow, QUIET)


@pytest.mark.parametrize("ahead", [-1, 1])
def test_nor_is_it_where_the_day_has_begun_already_or_not_yet(ahead: int) -> None:
    days = [DAY, DAY + timedelta(days=1)]
    before, after = (page_of(f"{day + timedelta(days=ahead):%d %B %Y}", day=day) for day in days)
    assert not differing(before, after, QUIET)


def test_a_date_that_stays_is_no_change_tomorrow() -> None:
    today, tomorrow = page_of("Published 22 November 2026"), DAY + timedelta(days=1)
    assert not differing(today, page_of("Published 22 November 2026", day=tomorrow), QUIET)


def test_a_line_that_flickers_among_others_does_not_hide_its_neighbours() -> None:
    first = page_of("One", "Two", "Three", "Offer A")
    noise = QUIET.learn(first, page_of("One", "Two", "Three"), 1)
    assert differing(first, page_of("One", "Two", "Three"), noise).lost == ()
    assert differing(first, page_of("One", "Two", "Tree"), noise)


def test_a_place_where_everything_flickers_is_passed_by() -> None:
    first = page_of("Buy A", place="div.ad")
    noise = QUIET.learn(first, page_of("Get B", place="div.ad"), 1)
    assert noise.places == ["div.ad"]
    assert not differing(
        page_of("x"), PageLines((*page_of("x").lines, PageLine("div.ad", "C")), DAY), noise
    )


def test_a_place_that_kept_still_for_twenty_runs_is_watched_again() -> None:
    noise = Noise({"div.ad": 1})
    assert noise.at(20).places == ["div.ad"]
    assert noise.at(21).places == []


def test_an_edit_that_was_taken_for_noise_is_reported_once_the_place_kept_still() -> None:
    now = page_of("Price 9.60 EUR")
    state = TextState(page_of("Price 9.50 EUR"), Noise({"body/p": 1}), looked_twice=LEARNING_RUNS)
    assert state.is_same(now, 20)
    assert not state.is_same(now, 21)


def test_while_a_page_has_noise_it_is_read_though_its_site_says_that_it_is_unchanged() -> None:
    state = TextState(page_of("One"), Noise({"body/p": 1}), looked_twice=LEARNING_RUNS)
    assert not state.settled
    assert state.quiet(21).settled


def test_an_edit_between_the_first_two_looks_is_no_news_later() -> None:
    before, now = page_of("Price 9.50 EUR"), page_of("Price 9.60 EUR")
    assert begun(before, now, 1).judge(now, now, 40)[0] is None


def test_what_became_something_else_is_reported_at_once() -> None:
    state, now = TextState(page_of("Price 9.50 EUR")), page_of("Price 9.60 EUR")
    difference, state = state.judge(now, now, 1)
    assert difference is not None
    assert difference.unified() == "- Price 9.50 EUR\n+ Price 9.60 EUR"
    assert state.page == now


def test_what_only_went_is_reported_when_the_next_run_sees_it_too() -> None:
    state = TextState(page_of("One", "Recall of all lamps"), looked_twice=LEARNING_RUNS)
    now = page_of("One")
    first, state = state.judge(now, now, 5)
    second, state = state.judge(now, now, 6)
    assert first is None
    assert second is not None
    assert second.unified() == "- Recall of all lamps"
    assert state.is_same(now, 7)


def test_what_went_and_came_back_is_noise() -> None:
    state = TextState(page_of("One", "We use cookies"), looked_twice=LEARNING_RUNS)
    _, state = state.judge(page_of("One"), page_of("One"), 5)
    state = state.quiet(6)
    assert state.is_same(page_of("One"), 7)


def test_a_state_survives_being_stored() -> None:
    now = page_of("One")
    _, state = TextState(page_of("One", "Two", "Three")).judge(now, page_of("One", "Two"), 5)
    assert state.waiting
    assert TextState.from_json(state.as_json()) == state


def test_a_difference_is_shown_in_twenty_kilobytes() -> None:
    text = differing(
        page_of(), page_of(*(f"{n} ü{'x' * 90}" for n in range(1_000))), QUIET
    ).unified()
    assert len(text.encode()) <= MOST_BYTES
    assert text.splitlines()[-1].endswith("more")


def test_a_row_of_a_table_is_one_line() -> None:
    markup = "<body><table><tr><th>Power</th><td>40 <b>W</b></td></tr></table></body>"
    assert [text for _, text in lines_of(parse(markup))] == ["Power | 40 W"]


def test_menus_footers_and_what_is_hidden_are_no_lines() -> None:
    markup = (
        "<body><nav><a href=/>Home</a></nav><p>Text of the page itself.</p>"
        "<p hidden>no</p><footer>1 s</footer><script>x</script></body>"
    )
    assert [text for _, text in lines_of(parse(markup))] == ["Text of the page itself."]


def test_classes_with_digits_are_no_part_of_a_place() -> None:
    markup = "<body><div id=main class='wrap c12 css-9f3a'><p>Text</p></div></body>"
    assert lines_of(parse(markup)) == (("html/body/div.main.wrap/p", "Text"),)


def test_a_line_that_came_is_shown_once_for_each_time_it_came() -> None:
    one = differing(
        page_of("The lamp costs 10", "The lamp costs 11"), page_of("The lamp costs 12"), QUIET
    )
    assert one.unified().splitlines().count("+ The lamp costs 12") == 1
    two = differing(page_of("The lamp costs 10"), page_of(*["The lamp costs 12"] * 2), QUIET)
    assert two.unified().splitlines().count("+ The lamp costs 12") == 2
