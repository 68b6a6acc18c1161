"""Stored pages that would act if they could: nothing of them runs, and nothing leaves."""

from typing import Any

import pytest

from tests import builders
from tests.browser.seeds.searches import answered
from tests.browser.site import Site

ATTACKS = """# The Hollow Oak observatory

The Hollow Oak observatory was founded in 1893 by the astronomer Ida Pell.

```
</pre></code></article></main></body></html>
<script>document.title = 'taken'; fetch('/reached-by-script')</script>
<img src="https://elsewhere.example/pixel.png" onerror="document.title = 'taken'">
<form action="/sign-out" method="post"><button autofocus>Continue</button></form>
<meta http-equiv="refresh" content="0;url=https://elsewhere.example/">
<iframe src="javascript:parent.document.title = 'taken'"></iframe>
<style>@import url('https://elsewhere.example/x.css'); body { display: none }</style>
<base href="https://elsewhere.example/"><a href="javascript:alert(1)">Read on</a>
```

Its telescope was restored in 1975 \u202eand so on\u202c.
"""


@pytest.fixture(scope="module")
def search(site: Site) -> str:
    builders.indexed_page("https://observatory.example.test/</script><b>", ATTACKS)
    return answered(site, "Who founded the Hollow Oak observatory?")


@pytest.fixture(params=["in its frame", "by itself"])
def stored(visit: Any, search: str, request: pytest.FixtureRequest) -> tuple[Any, Any]:
    """The page that is open, and what shows the stored one."""
    page = visit(f"/searches/{search}?cite=1")
    frame = page.locator("iframe.stored")
    if request.param == "in its frame":
        frame.scroll_into_view_if_needed()
        shown = page.frame_locator("iframe.stored")
    else:
        page = shown = visit(frame.get_attribute("src").replace("frame=1", "all=1"))
    shown.locator("#hit").wait_for()
    return page, shown


def test_the_quote_is_marked_and_seen(stored: tuple[Any, Any]) -> None:
    assert "founded in 1893" in stored[1].locator("#hit").inner_text()


def test_nothing_of_a_stored_page_acts(stored: tuple[Any, Any]) -> None:
    page, shown = stored
    page.wait_for_load_state("networkidle")
    assert "taken" not in page.title()
    assert page.noted.foreign == []
    assert not [url for url in page.noted.requests if "reached-by-script" in url]
    assert shown.locator("form, script, iframe, meta[http-equiv], base, img, style").count() == 0
    assert page.url.startswith(page.site.address)


def test_markup_of_a_stored_page_is_shown_as_text(stored: tuple[Any, Any]) -> None:
    assert stored[1].get_by_text("document.title = 'taken'; fetch").first.is_visible()


def test_signs_that_turn_text_around_are_shown_as_what_they_are(stored: tuple[Any, Any]) -> None:
    assert "\u202e" not in stored[1].locator("main").inner_text()
