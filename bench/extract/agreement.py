"""How often the interval of a validated sample holds the share that is right, errors planted.

Run `python -m bench.extract.agreement`: 5,000 runs a row, fixed seeds, the product's own interval
and its sample. Exits 1 when a row covers less than 95 %.
"""

import argparse
import random
import sys
from collections.abc import Iterable
from fractions import Fraction
from hashlib import md5
from heapq import nsmallest
from math import ceil
from uuid import UUID

from app.engine.extraction.site.agreement import interval

ROWS = (
    (40, "1", "0.1"),
    (200, "0.1", "0.02"),
    (200, "0.1", "0.1"),
    (1000, "0.05", "0.02"),
    (1000, "0.1", "0.01"),
    (1000, "0.1", "0.1"),
    (1000, "0.1", "0.3"),
)
RUNS, QUICK_RUNS = 5_000, 50


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only see that it works")
    runs = QUICK_RUNS if parser.parse_args().quick else RUNS
    print(f"{'records':>8}{'rate':>6}{'planted':>9}{'covered':>9}")
    kept = True
    for many, rate, errors in ROWS:
        share = covered(many, Fraction(rate), Fraction(errors), runs) / runs
        kept &= share >= 0.95
        print(f"{many:>8}{rate:>6}{errors:>9}{share:>9.3f}")
    sys.exit(not kept)


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


def sample(records: Iterable[UUID], run: UUID, rate: float) -> list[UUID]:
    """A random sample of `rate` of the records, rounded up; the same for the same run.

    The order is that of the product's own SQL, a hash of record and run: nobody chooses it.
    """
    listed = list(records)
    size = min(len(listed), ceil(round(rate * len(listed), 9)))
    return nsmallest(size, listed, key=lambda record: _place(record, run))


def _place(record: UUID, run: UUID) -> str:
    return md5(f"{record}{run}".encode(), usedforsecurity=False).hexdigest()


if __name__ == "__main__":
    main()
