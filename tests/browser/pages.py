"""Every page, for the tests that hold for all of them: a row each in `seeds/<area>.py`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

SCHEMES: Final = ("light", "dark")


@dataclass(frozen=True, slots=True)
class Page:
    """Its name is that of its screenshots. `{names}` of a path are filled in from `site.ids`.

    `who` opens it: "account", "operator", "newcomer" (who has nothing yet: empty states) or None.
    """

    name: str
    path: str | Callable[[Any], str]
    who: Literal["account", "operator", "newcomer"] | None = "account"
    status: int = 200

    def at(self, site: Any) -> str:
        return self.path.format(**site.ids) if isinstance(self.path, str) else self.path(site)
