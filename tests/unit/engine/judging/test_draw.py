"""Who is drawn for a record."""

import random
from uuid import UUID

from app.engine.judging import draw

DICE = random.Random(1)
ACCOUNTS = [UUID(int=DICE.getrandbits(128)) for _ in range(1_000)]
RECORD = UUID(int=DICE.getrandbits(128))


def drawn(assignments: int, age_seconds: float) -> set[UUID]:
    return {
        account
        for account in ACCOUNTS
        if draw.selects(draw.number(RECORD, account), assignments, len(ACCOUNTS), age_seconds)
    }


def test_a_record_is_open_to_about_three_accounts_an_assignment() -> None:
    assert 20 <= len(drawn(10, 0)) <= 40


def test_it_opens_to_twice_as_many_every_half_minute() -> None:
    assert drawn(10, 0) < drawn(10, 30) < drawn(10, 90)


def test_in_the_end_it_is_open_to_everybody() -> None:
    assert drawn(1, 3_600) == set(ACCOUNTS)


def test_another_record_is_another_draw() -> None:
    other = UUID(int=5)
    assert draw.number(RECORD, ACCOUNTS[0]) != draw.number(other, ACCOUNTS[0])


def test_few_accounts_are_all_drawn() -> None:
    assert draw.share(3, 5, 0) == 1.0
