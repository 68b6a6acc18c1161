"""The connections of a node to its server."""

import httpx

from citegrid.client import AsyncClient
from citegrid.node.identity import Identity
from citegrid.profiles.credentials import Credentials
from citegrid.transport.exchange import Policy


class NodeClient(AsyncClient):
    """The requests of a node to its server, with its token and nothing else."""

    def __init__(
        self,
        identity: Identity,
        policy: Policy,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        super().__init__(
            identity.base_url,
            credentials=Credentials(node_token=identity.node_token),
            policy=policy,
            allow_insecure=True,  # whoever made the identity has checked the address
            transport=transport,
        )
