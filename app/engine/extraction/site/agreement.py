"""The choice of a run's records to extract a second time, and what their agreement says of the
rest.

The rate is agreement of two extractions, not truth. The interval covers the rate at which all
records of the run would agree; it says how often they are right only as far as the second
extraction sees every error and doubts nothing that is right, which none does.
"""

from math import sqrt

_Z = 1.959964  # the normal quantile of a two-sided interval of 95 %


def interval(passed: int, compared: int) -> tuple[float, float]:
    """The 95 % interval of the share that passes, from `passed` of `compared` records.

    Wilson's score interval with continuity correction (Newcombe 1998, method 4). Without the
    correction it covers only 92 % where failures are rare.
    """
    if not compared:
        return 0.0, 1.0
    n, p = compared, passed / compared
    low, high = 0.0, 1.0
    if passed:
        low = _bound(n, p, -1)
    if passed < compared:
        high = _bound(n, p, 1)
    return max(0.0, low), min(1.0, high)


def _bound(n: int, p: float, side: int) -> float:
    square = _Z * _Z
    root = square + side * 2 - 1 / n + 4 * p * (n * (1 - p) - side)
    return (2 * n * p + square + side * (1 + _Z * sqrt(max(0.0, root)))) / (2 * (n + square))
