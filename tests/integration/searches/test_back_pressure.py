"""A queue that is full says when there will be room: by how fast it drains."""

from uuid import UUID

from app.core import db, ids
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.admission.admission import Backpressure
from app.domains.search.searches import service as searches
from tests.integration.searches.asking import Asking

SAMPLES = """
    insert into queue_samples
    select 10, date_bin('10 s', now(), 'epoch') - make_interval(secs => 10 * step), %(queue)s,
           30, 4, 60, %(ended)s, 0, 1
    from generate_series(0, 3) as step
    """


def test_a_full_queue_says_when_there_is_room_by_its_drain_rate(ada: Asking) -> None:
    """Ten jobs too many wait, and so many end in ten seconds."""
    with db.transaction() as tx:
        for _ in range(29):
            jobs.enqueue(tx, searches.KIND, UUID(int=1), {}, id=ids.new())
    for ended, seconds in ((0, 300), (1, 75), (10, 10), (1_000, 1)):
        ada.client.application.extensions["backpressure"] = Backpressure(20, 20)
        with db.transaction() as tx:
            tx.execute("delete from queue_samples")
            tx.execute(SAMPLES, {"queue": searches.KIND.queue, "ended": ended})
        answer = ada.post({"query": "Where do owls live?"})
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, str(seconds))
        assert answer.json["error"]["code"] == "overloaded"
