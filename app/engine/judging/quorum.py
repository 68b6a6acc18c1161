"""When the votes on a record decide, and how many more seats that may take.

A lead of k votes decides; accepting what our own check doubts takes k + 4. A record that was
disputed is decided by the majority of 2k + 1 votes.
"""

from dataclasses import dataclass
from typing import Final, Literal

State = Literal["accepted", "rejected", "unresolved"]

MOST_VOTES: Final = 15
OPEN_SECONDS: Final = 6 * 3600
"""From the first vote on; then the record is unresolved."""
WHEN_DOUBTED: Final = 4
"""So many votes more accept a record that our own check doubts."""
MOST_CHECKS: Final = 2
"""So many votes at most are our own checks worth: they share our code."""


@dataclass(frozen=True, slots=True)
class Rule:
    """The lead that accepts, the lead that rejects, and how many votes there are at most."""

    accept: int
    reject: int
    most: int = MOST_VOTES

    @classmethod
    def of(cls, k: int, *, doubted: bool = False) -> "Rule":
        return cls(k + WHEN_DOUBTED if doubted else k, k)


@dataclass(frozen=True, slots=True)
class VoteTally:
    """The counted votes on a record."""

    accepts: int = 0
    rejects: int = 0

    @property
    def score(self) -> int:
        return self.accepts - self.rejects

    @property
    def votes(self) -> int:
        return self.accepts + self.rejects

    def with_vote(self, accepts: bool) -> "VoteTally":
        return VoteTally(self.accepts + accepts, self.rejects + (not accepts))

    def with_checks(self, votes: int) -> "VoteTally":
        """Our own checks join: `votes` of them accept, or, below zero, reject."""
        votes = max(-MOST_CHECKS, min(MOST_CHECKS, votes))
        return VoteTally(self.accepts + max(0, votes), self.rejects + max(0, -votes))


def outcome(rule: Rule, tally: VoteTally) -> State | None:
    """Returns the state that the votes decide; None while they decide nothing."""
    if tally.score >= rule.accept:
        return "accepted"
    if tally.score <= -rule.reject:
        return "rejected"
    return "unresolved" if tally.votes >= rule.most else None


def seats(rule: Rule, tally: VoteTally) -> int:
    """Returns the number of seats that have to be open: the fewest votes that could still
    decide.
    """
    if outcome(rule, tally) is not None:
        return 0
    fewest = min(rule.accept - tally.score, rule.reject + tally.score)
    return min(fewest, rule.most - tally.votes)


def appeal_votes(k: int) -> int:
    """Returns the number of votes that decide a disputed record."""
    return 2 * k + 1


def majority(tally: VoteTally, votes: int) -> State | None:
    """Returns what most of `votes` votes decide, as soon as the others cannot change it."""
    if tally.accepts * 2 > votes:
        return "accepted"
    if tally.rejects * 2 > votes:
        return "rejected"
    return "unresolved" if tally.votes >= votes else None
