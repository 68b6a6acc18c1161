"""When an account is given an item whose answer is known, and which.

The first answers of an account are such items, and later one in twenty. To a node they look like
any other assignment. Small sets that are repeated are found out by those who talk to each other:
items are made fresh, an account sees one once, and an item is retired after a few uses.
"""

from typing import Final

PROBATION: Final = 12
"""So many tested answers come before the first vote that counts."""
RATE: Final = 1 / 20
MOST_USES: Final = 20
MOST_OF_A_PAYER, MOST_WRONG_OF_A_PAYER = 8, 2
"""So often what one payer says tests an account, and so often against it: too seldom to end its
probation, or to suspend it."""
_HALF = 0.5


def in_probation(answers: int) -> bool:
    """True if an account with so many tested answers is not counted yet."""
    return answers < PROBATION


def due(draw: float, *, newcomer: bool) -> bool:
    """True if the next item of an account is gold; `draw` is a random number in [0, 1)."""
    return newcomer or draw < RATE


def wanted_truth(draw: float) -> bool:
    """Half of the items are right, half wrong."""
    return draw < _HALF
