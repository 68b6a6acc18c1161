"""What holds for every page: accessible, inside of its policy, not wider than the screen."""

import re
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

# What a screen reader, a keyboard and an eye with little contrast need, as far as a program sees.
RULES: Final = {
    "runOnly": {
        "type": "tag",
        "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    },
    "iframes": False,  # stored pages run no script, and are looked at by themselves
    "resultTypes": ["violations"],
}


# Axe leaves empty attributes of style, which a live region that is put in again would keep.
PAUSE: Final = """() => {
    const button = document.querySelector('#pause-live[aria-pressed=false]:not([hidden])');
    button?.click();
    return Boolean(button);
}"""


RESUME: Final = """() => {
    for (const element of document.querySelectorAll('[style=""]')) element.removeAttribute('style');
    document.querySelector('#pause-live').click();
    document.querySelector('#announcement').textContent = '';
}"""


@dataclass
class Checked:
    """Fails with everything that is wrong, and leaves a screenshot in its folder, if it has one."""

    screenshots: Path | None

    def __call__(self, page: Any, name: str = "") -> None:
        """`name` is the screenshot's, if the address does not say enough."""
        self.screenshot(page, name or _name(page))
        problems = [
            *violations(page),
            *page.noted.wrong,
            *(f"a request to {url}" for url in page.noted.foreign),
            *inline_handlers(page),
            *layout(page),
        ]
        assert problems == [], "\n".join(problems)

    def screenshot(self, page: Any, name: str) -> None:
        if self.screenshots is None:
            return
        self.screenshots.mkdir(parents=True, exist_ok=True)
        file = f"{name}-{page.viewport_size['width']}-{page.scheme}.png"
        page.screenshot(path=self.screenshots / file, full_page=True)


def _name(page: Any) -> str:
    path = page.url.removeprefix(page.site.address).split("?")[0]
    return re.sub(r"[^a-z0-9]+", "-", path.lower()).strip("-") or "home"


def violations(page: Any) -> list[str]:
    """What axe finds; a rule on a line, with the first element that breaks it."""
    axe = import_module("axe_playwright_python.sync_playwright").Axe()

    paused = page.evaluate(PAUSE)
    found = axe.run(page, options=RULES).response["violations"]
    if paused:
        page.evaluate(RESUME)
    return [
        f"{rule['id']}: {rule['help']}: {rule['nodes'][0]['html'][:200]} "
        f"({rule['nodes'][0].get('failureSummary', '')[:200]})"
        for rule in found
    ]


def inline_handlers(page: Any) -> list[str]:
    """Attributes like `onclick`: the policy forbids them, and browsers say so only at the event."""
    names: list[str] = page.evaluate(
        "[...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames())"
    )
    return [f"the handler {name} in an element" for name in names if name.startswith("on")]


def layout(page: Any) -> list[str]:
    """One heading of the first level, and nothing sticks out at the side."""
    headings = page.locator("h1").count()
    wide, screen = page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    problems = [] if headings == 1 else [f"{headings} headings of the first level"]
    return problems if wide <= screen else [*problems, f"{wide} px wide on a screen of {screen} px"]
