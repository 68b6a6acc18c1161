"""Two chats at once: each is accepted as if the other had been before it."""

import threading
from uuid import UUID

from app.core import db, ids
from app.domains.providers.chats import service
from app.domains.providers.chats.service import ProviderOfferBusy, Selection
from tests import servers
from tests.chatting import MODEL
from tests.databases import sessions_waiting
from tests.integration.chats.conftest import HELLO, Stage


def test_a_computer_with_room_for_one_gets_one_of_two(stage: Stage) -> None:
    stage.set_capacity(1)
    outcomes: list[str] = []

    def accept(tx: db.Tx) -> None:
        terms = stage.app.extensions["chats"].terms
        selection = Selection(UUID(stage.node.offer_id), stage.node.revision)
        request = {"model": MODEL, "messages": HELLO}
        service.accept(tx, ids.new(), stage.account_id, request, selection, terms)

    def second() -> None:
        try:
            with db.transaction() as tx:
                accept(tx)
            outcomes.append("accepted")
        except ProviderOfferBusy as busy:
            outcomes.append(busy.code)

    thread = threading.Thread(target=second)
    with db.transaction() as tx:
        accept(tx)
        thread.start()
        servers.until(sessions_waiting)
    thread.join()
    assert outcomes == ["provider_offer_busy"]
