"""Votes that arrive at the same moment."""

import threading
from concurrent.futures import ThreadPoolExecutor

from app.core import db
from app.domains.campaigns.reviews import service as reviews
from app.domains.campaigns.reviews import vote_store
from app.domains.providers.work.kinds import Item
from tests.judged import ACCEPT, Court
from tests.patience import PATIENCE_SECONDS

AT_ONCE = 6


def test_of_votes_at_the_same_moment_each_is_taken_and_one_decides(court: Court) -> None:
    for _ in range(3):
        court.k = 3
        court.leave()
        court.open()
        voters = [court.voter() for _ in range(AT_ONCE)]
        items = []
        for voter in voters:
            item = court.claim(voter)
            if item is None:
                court.age(700)
                with db.transaction() as tx:
                    reviews.attend(tx, court.record_id, 1, reviews.Patience(1e9, 1e9))
                item = court.given(voter)
            items.append(item)
        together = threading.Barrier(AT_ONCE)

        def answer(item: Item, together: threading.Barrier = together) -> None:
            together.wait(PATIENCE_SECONDS)
            court.answer(item, ACCEPT)

        court.judged.decisions.clear()
        with ThreadPoolExecutor(AT_ONCE) as threads:
            list(threads.map(answer, items))
        assert [decision.state for decision in court.judged.decisions] == ["accepted"]
        with db.reading() as reader:
            assert len(vote_store.agreed(reader, [(court.record_id, 1)])) == AT_ONCE
