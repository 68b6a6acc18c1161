"""Mixed work for a running installation: submitted, awaited, compared with what it should be."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, Protocol

from tests.mixed.calling import Refusals
from tests.mixed.campaigns import Campaigners, Campaigns
from tests.mixed.clients import Clients
from tests.mixed.extractions import Extractions
from tests.mixed.monitors import Monitors
from tests.mixed.searches import Searches
from tests.mixed.tally import Tally
from tests.mixed.world import World

SHARES: Final = {
    "search": 0.75,
    "extraction": 0.08,
    "webhook": 0.12,
    "monitor": 0.01,
    "campaign": 0.04,
}
"""Of all jobs; a delivered webhook is a job, and so is a run of a monitor."""

ALL: Final = tuple(SHARES)
_LOOK_SECONDS: Final = 0.5


class _Part(Protocol):
    """Work of one kind. `jobs_each` is how many jobs come of one request."""

    kind: str
    jobs_each: int

    def submit(self, count: int) -> None: ...
    def unfinished(self) -> int: ...
    def tally(self, tally: Tally) -> None: ...


class MixedLoad:
    """Work of one account of an installation that was prepared (`tests.mixed.preparing`)."""

    def __init__(
        self,
        base_url: str,
        account_key: str,
        *,
        world: World,
        seed: int = 7,
        kinds: Sequence[str] = ALL,
        campaigners: Campaigners | None = None,
        first_campaign_after: int | None = None,
    ) -> None:
        """`world` gave the settings of the installation. Without `campaigners` there are no
        campaigns, whatever `kinds` names. The first campaign begins after as many jobs as make it
        the share it should be, or after `first_campaign_after`."""
        self._clients = Clients(base_url, account_key, seed)
        kinds = [kind for kind in kinds if kind != Campaigns.kind or campaigners]
        self._parts = [self._part(kind, world, campaigners) for kind in kinds]
        whole = sum(SHARES[kind] for kind in kinds)
        self._due = dict.fromkeys(kinds, 0.0)
        self._shares = {kind: SHARES[kind] / whole for kind in kinds}
        if first_campaign_after is not None and Campaigns.kind in kinds:
            earned = first_campaign_after * self._shares[Campaigns.kind] / Campaigns.jobs_each
            self._due[Campaigns.kind] = max(0.0, 1 - earned)
        self.submitted = 0

    def _part(self, kind: str, world: World, campaigners: Campaigners | None) -> _Part:
        if kind == Campaigns.kind and campaigners:
            return Campaigns(self._clients, world, campaigners)
        if kind == Searches.kind:
            return Searches(self._clients, world)
        if kind == Monitors.kind:
            return Monitors(self._clients, world)
        return Extractions(self._clients, world, hooked=kind == "webhook")

    @property
    def refusals(self) -> Refusals:
        """What had to be sent again, and why."""
        return self._clients.refusals

    def submit(self, count: int) -> None:
        """Accepted when it returns; what is refused is sent again with the same key."""
        self.submitted += count
        for part in self._parts:
            due = self._due[part.kind] + count * self._shares[part.kind] / part.jobs_each
            self._due[part.kind] = due - int(due)
            if due >= 1:
                part.submit(int(due))

    def unfinished(self) -> int:
        """How much is seen to be open, at least; also lets monitors and campaigns go on."""
        return sum(part.unfinished() for part in self._parts)

    def wait(self, seconds: float = 1800.0) -> None:
        """Until all has ended. AssertionError when it takes longer."""
        until = time.monotonic() + seconds
        while (left := self.unfinished()) > 0:
            assert time.monotonic() < until, f"{left} or more open after {seconds} s"
            time.sleep(_LOOK_SECONDS)

    def tally(self) -> Tally:
        tally = Tally()
        for part in self._parts:
            part.tally(tally)
        return tally

    def close(self) -> None:
        for part in self._parts:
            if isinstance(part, Campaigns):
                part.close()
        self._clients.close()


@contextmanager
def closing(load: MixedLoad) -> Iterator[MixedLoad]:
    try:
        yield load
    finally:
        load.close()
