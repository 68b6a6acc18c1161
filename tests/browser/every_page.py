"""The rows of all areas."""

from typing import Final

from tests.browser import seeds
from tests.browser.pages import Page

PAGES: Final[tuple[Page, ...]] = tuple(page for area in seeds.AREAS.values() for page in area.PAGES)
