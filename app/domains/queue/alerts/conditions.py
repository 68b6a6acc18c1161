"""Conditions of alerts: of which things they are, their thresholds, when each holds."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

About = Literal["monitor", "campaign", "queue"]
Condition = Literal["changed", "failing", "ended", "budget_spent", "waiting", "oldest"]
ABOUT: Final[tuple[About, ...]] = get_args(About)
CONDITIONS: Final[tuple[Condition, ...]] = get_args(Condition)

_HOUR: Final = 3_600
_FALL: Final = 0.8
"""The load of a queue swings: it has fallen at this share of the threshold."""


@dataclass(frozen=True, slots=True)
class ConditionRule:
    """A condition of one sort of thing. `least` None: it takes no threshold.

    After a message the next one comes `rest_seconds` later at the earliest.
    """

    about: About
    least: float | None = None
    most: float = 0
    optional: bool = False
    whole: bool = False
    rest_seconds: int = _HOUR


RULES: Final[dict[Condition, ConditionRule]] = {
    "changed": ConditionRule("monitor", 0.01, 10_000, optional=True),
    "failing": ConditionRule("monitor", 1, 100, whole=True),
    "ended": ConditionRule("campaign", rest_seconds=0),
    "budget_spent": ConditionRule("campaign", 1, 100, rest_seconds=0),
    "waiting": ConditionRule("queue", 1, 1_000_000, whole=True),
    "oldest": ConditionRule("queue", 1, 30 * 86_400),
}


def problem(about: About, condition: Condition, threshold: float | None) -> tuple[str, str] | None:
    """The field that does not fit the others, and why."""
    rule = RULES[condition]
    if rule.about != about:
        fitting = ", ".join(name for name, other in RULES.items() if other.about == about)
        return "condition", f"Must be a condition of a {about}: {fitting}."
    if rule.least is None:
        return ("threshold", "Must be left out for this condition.") if threshold else None
    if threshold is None:
        return None if rule.optional else ("threshold", "Must be given for this condition.")
    if not rule.least <= threshold <= rule.most or (rule.whole and threshold % 1):
        kind = "a whole number" if rule.whole else "a number"
        return "threshold", f"Must be {kind} from {rule.least:g} to {rule.most:.0f}."
    return None


def holds(condition: Condition, threshold: float, value: float) -> bool:
    """True if a message is due, unless one was sent for this crossing."""
    return value > threshold if RULES[condition].about == "queue" else value >= threshold


def has_fallen(condition: Condition, threshold: float, value: float) -> bool:
    """True if the next crossing is another one."""
    if RULES[condition].about == "queue":
        return value <= _FALL * threshold
    return value < threshold
