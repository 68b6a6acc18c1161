"""Things that alerts can be about, other than queues: their domains are above and connect them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from app.core.db import Reader
from app.core.hooks import Hook
from app.core.ids import Noun
from app.domains.queue.alerts.conditions import About

NOUNS: Final[dict[About, Noun]] = {"monitor": Noun.JOB, "campaign": Noun.CAMPAIGN}


@dataclass(frozen=True, slots=True)
class AlertedThing:
    """A sort of thing; `owns` is true if the account has one with this id."""

    about: About
    owns: Callable[[Reader, UUID, UUID], bool]


THINGS: Final = Hook[AlertedThing]("things.THINGS")


def owns(reader: Reader, about: About, account_id: UUID, id: UUID) -> bool:
    return any(thing.about == about and thing.owns(reader, account_id, id) for thing in THINGS)
