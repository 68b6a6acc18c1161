"""What is written down of changes while an index follows, and in which order it is sent."""

import threading

import psycopg
import pytest

from app.core import db, ids
from app.domains.library.passages import change_store, changes, service
from app.domains.library.passages.change_store import Lag, Remote
from tests.patience import PATIENCE_SECONDS
from tests.remote_index import add, page

ROWS = "select position, added, removed from passage_changes order by id"


def begin() -> Remote:
    with db.transaction() as tx:
        return changes.begin(tx, "citegrid-")


def serve(index: Remote) -> Remote:
    with db.transaction() as tx:
        changes.serve(tx, index)
    return current()


def current() -> Remote:
    with db.reading() as reader:
        return change_store.current(reader)[0]


def rows() -> list[tuple[int | None, list[int], list[int]]]:
    with db.reading() as reader:
        return reader.execute(ROWS).fetchall()


def number() -> None:
    with db.transaction() as tx:
        change_store.number(tx)


def unsent() -> changes.ChangeBatch | None:
    with db.reading() as reader:
        return changes.unsent(reader, current())


def send_all() -> list[int]:
    """The ids of added passages of each batch, noted as sent."""
    seen: list[int] = []
    while True:
        number()
        batch = unsent()
        if batch is None:
            return seen
        seen += [passage.id for passage, _ in batch.added]
        with db.transaction() as tx:
            changes.sent(tx, current(), batch.to)


def test_nothing_is_written_down_while_no_index_follows(database: str) -> None:
    add("owls", add("mice"))
    assert rows() == []


def test_an_added_a_replaced_and_a_removed_page_are_written_down(database: str) -> None:
    begin()
    source = add("mice")
    add("owls", source)
    with db.transaction() as tx:
        service.remove(tx, [source])
    [(_, first, _), (_, second, first_again), (_, none, second_again)] = rows()
    assert (first, second, none) == (first_again, second_again, [])


def test_a_transaction_that_is_rolled_back_leaves_no_change(database: str) -> None:
    begin()
    with db.transaction() as tx:
        service.replace(tx, [page("mice", ids.new())])
        raise psycopg.Rollback
    assert rows() == []


def test_a_change_that_commits_late_is_sent_all_the_same(database: str) -> None:
    add("the first of all, which makes the generation")
    begin()
    with db.connect(database) as late:
        with late.transaction():
            service.replace(late, [page("late", ids.new())])  # takes the lower number
            add("early")
            early = send_all()
        after_commit = send_all()
    assert (len(early), len(after_commit)) == (1, 1)
    assert after_commit[0] < early[0]


def test_numbers_become_visible_in_their_order(database: str) -> None:
    begin()
    add("mice")
    with db.connect(database) as first:
        with first.transaction():
            change_store.number(first)
            add("owls")
            second = threading.Thread(target=number)
            second.start()
            second.join(0.2)
            assert second.is_alive()  # it waits for whoever gave the lower number
        second.join(PATIENCE_SECONDS)
    assert [position for position, _, _ in rows()] == [2, 3]


def test_an_index_begins_after_those_who_are_writing(database: str) -> None:
    add("owls")
    with db.connect(database) as writer:
        with writer.transaction():
            service.replace(writer, [page("mice", ids.new())])
            beginning = threading.Thread(target=begin)
            beginning.start()
            beginning.join(0.2)
            assert beginning.is_alive()
        beginning.join(PATIENCE_SECONDS)
    with db.reading() as reader:
        built, _ = changes.unbuilt(reader, current())
    assert (len(built), rows()) == (2, [])


def test_a_passage_that_is_gone_again_is_sent_as_gone_only(database: str) -> None:
    begin()
    source = add("mice")
    with db.transaction() as tx:
        service.remove(tx, [source])
    number()
    batch = unsent()
    assert batch is not None
    assert (batch.added, len(batch.removed)) == ([], 1)


def test_a_removal_has_a_higher_version_than_what_it_removes(database: str) -> None:
    begin()
    source = add("mice")
    number()
    added = unsent()
    with db.transaction() as tx:
        service.remove(tx, [source])
    number()
    removed = unsent()
    assert added is not None
    assert removed is not None
    assert removed.removed[0][1] > added.added[0][1] > changes.BUILT


def test_who_is_overtaken_notes_nothing(database: str) -> None:
    index = begin()
    with db.transaction() as tx:
        changes.sent(tx, index, 5)
    with db.transaction() as tx, pytest.raises(changes.RemoteIndexOvertaken):
        changes.sent(tx, index, 7)


def test_a_batch_ends_at_about_a_thousand_passages(database: str) -> None:
    begin()
    with db.transaction() as tx:
        for first in range(0, 4_000, 400):
            change_store.record(tx, [], list(range(first, first + 400)))
    number()
    batch = unsent()
    assert batch is not None
    assert len(batch.removed) == 1_200


def test_changes_that_every_index_has_are_forgotten(database: str) -> None:
    serve(begin())
    add("mice")
    send_all()
    building = begin()
    add("owls")
    number()
    with db.transaction() as tx:
        assert changes.forget_sent(tx, 100) == 0  # the new one has heard of neither
        changes.sent(tx, building, 3)
    with db.transaction() as tx:
        assert changes.forget_sent(tx, 100) == 1
    assert len(rows()) == 1


def test_the_job_of_each_minute_has_what_waits_sent(database: str) -> None:
    serve(begin())
    add("mice")
    with db.transaction() as tx:
        changes.forget_sent(tx, 100)
        assert tx.execute("select kind from jobs").fetchall() == [("index.send",)]


def test_an_index_that_heard_nothing_for_a_week_is_left_and_its_changes_forgotten(
    database: str,
) -> None:
    serve(begin())
    add("mice")
    with db.transaction() as tx:
        tx.execute("update passage_changes set written_at = now() - interval '8 days'")
        changes.forget_sent(tx, 100)
    assert rows() == []
    add("owls")
    assert rows() == []


def test_nothing_is_written_down_once_no_index_is_to_follow(database: str) -> None:
    serve(begin())
    with db.transaction() as tx:
        changes.detach(tx)
    add("owls")
    assert rows() == []


def test_the_lag_is_what_the_serving_index_has_not_heard_of(database: str) -> None:
    serve(begin())
    with db.reading() as reader:
        assert change_store.seconds_behind(reader) == 0
    add("mice")
    with db.transaction() as tx:
        tx.execute("update passage_changes set written_at = now() - interval '90 seconds'")
    number()
    with db.reading() as reader:
        lag = changes.lag(reader)
        assert lag is not None
        assert lag.passages == 1
        assert lag.seconds >= 90
        assert (change_store.seconds_behind(reader) or 0) >= 90
    send_all()
    with db.reading() as reader:
        assert changes.lag(reader) == Lag(0, 0)


def test_without_an_index_that_serves_there_is_no_lag(database: str) -> None:
    begin()
    with db.reading() as reader:
        assert (changes.lag(reader), change_store.seconds_behind(reader)) == (None, None)
