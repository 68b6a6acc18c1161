"""The rows of all areas."""

from typing import Final

from tests.browser import seeds
from tests.browser.pages import Page

PAGES: Final[tuple[Page, ...]] = tuple(page for area in seeds.AREAS.values() for page in area.PAGES)

EACH_OF_SHORT: Final = 8
SHORT: Final = {
    page.name: turn
    for turn, page in enumerate(
        page for area in seeds.AREAS.values() for page in area.PAGES[::EACH_OF_SHORT]
    )
}
"""Pages of every area for the short form, with the turns by which they take schemes and widths."""
