"""The judgement of an account by answers with a known outcome: a test that ends in suspension, and
a reputation that is shown and weighs nothing.

The test is Wald's: is somebody right nine times of ten, or six? It takes gold items and every
decided record, unanimous ones too: testing by contested ones only would select the votes where
somebody erred, and suspend the honest.
"""

import math
from dataclasses import dataclass, replace
from typing import Final

RIGHT: Final = math.log(0.90 / 0.60)
WRONG: Final = math.log(0.10 / 0.40)
ACCEPTED: Final = math.log(0.80 / 0.50)
REJECTED: Final = math.log(0.20 / 0.50)
"""Of who contributes: are eight in ten of its records accepted, or five?"""
HIGHEST: Final = 4.6
"""A long good record buys no licence to cheat later."""
SUSPENDED_BELOW: Final = -4.6
_PRIOR_RIGHT, _PRIOR_WRONG = 8, 2
_NINETY_PERCENT = (0.05, 0.95)
_BISECTIONS = 40


@dataclass(frozen=True, slots=True)
class Answers:
    """The counts of an account's right and wrong answers, and where its test stands."""

    right: int = 0
    wrong: int = 0
    wald: float = 0.0

    def learned(self, right: bool) -> "Answers":
        wald = min(HIGHEST, self.wald + (RIGHT if right else WRONG))
        if right:
            return replace(self, right=self.right + 1, wald=wald)
        return replace(self, wrong=self.wrong + 1, wald=wald)

    @property
    def fails(self) -> bool:
        return fails(self.wald)


def contributed(wald: float, *, accepted: bool) -> float:
    """The test of a contributor after one more of its records was decided."""
    return min(HIGHEST, wald + (ACCEPTED if accepted else REJECTED))


def fails(wald: float) -> bool:
    return wald < SUSPENDED_BELOW


def mean(right: int, wrong: int) -> float:
    """The expected share of right answers: of Beta(8 + right, 2 + wrong)."""
    return (_PRIOR_RIGHT + right) / (_PRIOR_RIGHT + _PRIOR_WRONG + right + wrong)


def interval(right: int, wrong: int) -> tuple[float, float]:
    a, b = _PRIOR_RIGHT + right, _PRIOR_WRONG + wrong
    low, high = (_quantile(share, a, b) for share in _NINETY_PERCENT)
    return low, high


def _quantile(share: float, a: float, b: float) -> float:
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if _below(middle, a, b) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _below(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function, by its continued fraction."""
    if x > (a + 1) / (a + b + 2):
        return 1 - _below(1 - x, b, a)
    scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(scale + a * math.log(x) + b * math.log1p(-x)) / a
    return front / _fraction(x, a, b)


def _fraction(x: float, a: float, b: float) -> float:
    """Evaluated from its end (NIST DLMF 8.17.22): the terms beyond no longer count."""
    value = 1.0
    for m in range(_terms(a, b), 0, -1):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        value = 1 + even / (1 + odd / value)
    return 1 - (a + b) * x / (a + 1) / value


def _terms(a: float, b: float) -> int:
    """Convergence takes O(sqrt(max(a, b))) terms."""
    return 20 + 3 * int(math.sqrt(max(a, b)))
