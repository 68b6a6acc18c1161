"""Whether the server can work; what operators and `citegrid status` look at."""

from dataclasses import dataclass

from citegrid.nouns.noun import M, Noun, operation
from citegrid.profiles.credentials import Access
from citegrid.service import Call, json_of
from citegrid.transport.codec import ApiObject


@dataclass(frozen=True, slots=True)
class Readiness(ApiObject):
    """Each part is `ok` or says what it is."""

    status: str
    database: str
    redis: str
    dispatchers: str


class Health(Noun[M]):
    """`client.health`"""

    @operation("GET", "/readyz", Access.NONE)
    def get(self) -> Call[Readiness]:
        """Whether requests can be served. Raises Unavailable when they cannot."""
        return Call(json_of(Readiness))
