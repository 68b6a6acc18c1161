"""The fixtures of paid search, over a real socket."""

import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest
from werkzeug.serving import make_server

from app.core.config.settings import Settings
from app.wsgi import create_app
from tests.chains.node import Chain
from tests.integration.payments.conftest import Settler
from tests.integration.payments.conftest import chain as chain
from tests.integration.payments.conftest import rpc as rpc
from tests.integration.payments.conftest import settings as settings


@pytest.fixture
def server(settings: Settings, chain: Chain) -> Iterator[str]:
    """The address of a server whose payments are settled while a request waits."""
    over, settler = threading.Event(), Settler(settings)

    def settle() -> None:
        while not over.wait(0.005):
            settler.once()

    with make_server("127.0.0.1", 0, lambda *_: [], threaded=True) as listening:
        url = f"http://127.0.0.1:{listening.server_port}"
        told = replace(settings, service_base_url=url, onchain_settle_seconds=20.0)
        listening.app = create_app(told)
        threads = [
            threading.Thread(target=listening.serve_forever, args=(0.01,)),
            threading.Thread(target=settle),
        ]
        for thread in threads:
            thread.start()
        yield url
        over.set()
        listening.shutdown()
        for thread in threads:
            thread.join()
