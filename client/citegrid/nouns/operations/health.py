"""The health of the server, whether it can work; operators and `citegrid status` look at it."""

from citegrid.nouns.noun import M, Noun, operation
from citegrid.profiles.credentials import Access
from citegrid.service import Call, json_of
from citegrid.transport.codec import ApiObject


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
        """Returns the readiness to serve requests. Raises Unavailable when they cannot be
        served.
        """
        return Call(json_of(Readiness))
