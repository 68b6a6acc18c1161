"""The state of the text of a watched page, and what a run makes of two looks at it."""

from dataclasses import dataclass, replace
from typing import Any, Self

from app.engine.extraction.changes.difference import QUIET, Difference, Noise, differing
from app.engine.extraction.changes.page_lines import PageLines

LEARNING_RUNS = 3
"""So many runs look twice whatever they see: what flickers is best learnt before it alarms."""


@dataclass(frozen=True, slots=True)
class TextState:
    """The last text that was reported, the noise learnt, and what waits to be seen once more.

    `looked_twice` is in how many runs.
    """

    page: PageLines
    noise: Noise = QUIET
    waiting: tuple[str, ...] = ()
    looked_twice: int = 1

    def as_json(self) -> dict[str, Any]:
        return {
            "page": self.page.as_json(),
            "noise": dict(self.noise.runs),
            "waiting": list(self.waiting),
            "looked_twice": self.looked_twice,
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        page = PageLines.from_json(value["page"])
        return cls(page, Noise(value["noise"]), tuple(value["waiting"]), value["looked_twice"])

    @property
    def settled(self) -> bool:
        """True if nothing is left out that a later run may compare, were the page the same."""
        return self.looked_twice >= LEARNING_RUNS and not self.waiting and not self.noise.runs

    def is_same(self, seen: PageLines, run: int) -> bool:
        """True if one look is enough: nothing differs but noise."""
        learnt = self.looked_twice >= LEARNING_RUNS
        return learnt and not differing(self.page, seen, self.noise.at(run))

    def quiet(self, run: int) -> "TextState":
        """After a run that found nothing. What had come or gone in the last is back: noise."""
        noise = self.noise.at(run).flapped(self.waiting, run)
        return replace(self, noise=noise, waiting=())

    def judge(
        self, first: PageLines, second: PageLines, run: int
    ) -> tuple[Difference | None, "TextState"]:
        """Returns the difference to report after two looks of one run, if any, and the state then.

        What does not persist is noise, and learnt. What became something else is reported at once,
        what only came or went when the next run sees it too.
        """
        noise = self.noise.at(run).learn(first, second, run)
        difference = differing(self.page, second, noise)
        still = difference.fingerprint
        noise = noise.flapped([key for key in self.waiting if key not in still], run)
        now = replace(self, noise=noise, waiting=(), looked_twice=self.looked_twice + 1)
        if not difference:
            return None, now
        confirmed = now.looked_twice > LEARNING_RUNS and still.intersection(self.waiting)
        if difference.replaces or confirmed:
            return difference, replace(now, page=second)
        return None, replace(now, waiting=tuple(sorted(still)))


def begun(first: PageLines, second: PageLines, run: int) -> TextState:
    """The state of a page that is seen for the first time, after two looks."""
    return TextState(second, QUIET.learn(first, second, run))
