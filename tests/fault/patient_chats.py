"""The application of the fault tests of chats: nodes are tried by other things than by time."""

from functools import partial

from app import wsgi
from app.domains.providers.chats.relay import broker
from tests.patience import PATIENCE_SECONDS

broker.RelayTimeouts = partial(  # type: ignore[assignment,misc]
    broker.RelayTimeouts, claim=PATIENCE_SECONDS, silence=30.0
)
serve = wsgi.serve
