"""Runs with errors planted: how often the interval of a sample holds the share planted."""

import random
from fractions import Fraction
from uuid import UUID

from app.engine.extraction.site.agreement import interval, sample


def covered(many: int, rate: Fraction, errors: Fraction, runs: int) -> int:
    """In how many of `runs` runs of `many` records the interval holds the share that is right.

    Exactly so many errors are planted as `errors` of the records are, to the nearest: with a
    random number of them the test would throw dice twice.
    """
    generator = random.Random(f"{many} {rate} {errors}")
    records = [UUID(int=generator.getrandbits(128)) for _ in range(many)]
    planted = int(errors * many + Fraction(1, 2))
    return sum(
        _covers(records, set(generator.sample(records, planted)), generator, rate)
        for _ in range(runs)
    )


def _covers(
    records: list[UUID], wrong: set[UUID], generator: random.Random, rate: Fraction
) -> bool:
    run = UUID(int=generator.getrandbits(128))
    drawn = sample(records, run, float(rate))
    low, high = interval(sum(record not in wrong for record in drawn), len(drawn))
    return low <= 1 - len(wrong) / len(records) <= high
