"""The work that a node offers to do, as its owner set it up."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, repr=False)
class Setup:
    """Not shown: it holds the backend's key. Rates are in USD per million tokens."""

    work: tuple[str, ...] = ("extraction", "validation")
    capacity: int = 4
    backend_url: str | None = None
    backend_key: str | None = None
    models: tuple[str, ...] = ()
    revision: str = "1"
    rates: tuple[str | None, str | None] = (None, None)
    max_context: int = 8192
    precision: str | None = None
    auto_eligible: bool = False

    def capabilities(self) -> dict[str, Any]:
        chat = "chat" in self.work
        return {
            "work": list(self.work),
            "capacity": self.capacity,
            "models": [self._model(name) for name in self.models] if chat else [],
        }

    def _model(self, name: str) -> dict[str, Any]:
        stated = {} if self.precision is None else {"precision": self.precision}
        return {
            "model": name,
            "revision": self.revision,
            "rates": {"input": self.rates[0], "output": self.rates[1]},
            "max_context": self.max_context,
            "auto_eligible": self.auto_eligible,
            **stated,
        }
