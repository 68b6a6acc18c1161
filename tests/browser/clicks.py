"""Clicks, counted: how far away something is."""

from typing import Any


class Clicks:
    """A page on which every click is counted."""

    def __init__(self, page: Any) -> None:
        self.page, self.count = page, 0

    def __call__(self, role: str, name: str) -> None:
        """On the first element of this role and name."""
        self.on(self.page.get_by_role(role, name=name, exact=True).first)

    def on(self, target: Any) -> None:
        self.count += 1
        target.click()
