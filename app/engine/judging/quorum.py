"""When the votes on a record decide, and how many more assignments that may take.

A lead of k votes decides; accepting what our own check doubts takes k + 4. Where no more accounts
are there than may vote on a record, more than half of them have to accept, or may reject. A record
that was disputed is decided by the majority of 2k + 1 votes.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Literal

State = Literal["accepted", "rejected", "unresolved"]

MOST_VOTES: Final = 15
OPEN_SECONDS: Final = 6 * 3600
"""From the first vote on; then the record is unresolved."""
DISPUTE_DAYS: Final = 7
"""Then a dispute that nobody decided is refused."""
WHEN_DOUBTED: Final = 4
"""So many votes more accept a record that our own check doubts."""
MORE_IN_PROBATION: Final = 2
"""So many more than k have to agree where nobody is out of probation yet."""


@dataclass(frozen=True, slots=True)
class Rule:
    """The lead that accepts, the lead that rejects, and how many votes there are at most.

    `half`: so many are more than half of those who are there; accepting takes them beside the lead,
    and they reject without one. 0: there are too many to ask them all.
    """

    accept: int
    reject: int
    most: int = MOST_VOTES
    half: int = 0

    @classmethod
    def of(cls, k: int, *, doubted: bool = False, newcomers_against: int = 0) -> "Rule":
        """Each newcomer who is against a record raises the lead that accepts it."""
        more = WHEN_DOUBTED if doubted else min(WHEN_DOUBTED, newcomers_against)
        return cls(k + more, k)


@dataclass(frozen=True, slots=True)
class VoteTally:
    accepts: int = 0
    rejects: int = 0

    @property
    def score(self) -> int:
        return self.accepts - self.rejects

    @property
    def votes(self) -> int:
        return self.accepts + self.rejects

    @classmethod
    def of(cls, verdicts: Collection[bool]) -> "VoteTally":
        accepts = sum(verdicts)
        return cls(accepts, len(verdicts) - accepts)


def outcome(rule: Rule, tally: VoteTally) -> State | None:
    """Returns the state that the votes decide; None while they decide nothing."""
    if tally.score >= rule.accept and tally.accepts >= rule.half:
        return "accepted"
    if tally.score <= -rule.reject or 0 < rule.half <= tally.rejects:
        return "rejected"
    return "unresolved" if tally.votes >= rule.most else None


def assignments(rule: Rule, tally: VoteTally) -> int:
    """The number of assignments to be open: the fewest votes that could still decide."""
    if outcome(rule, tally) is not None:
        return 0
    accepts = max(rule.accept - tally.score, rule.half - tally.accepts)
    rejects = rule.reject + tally.score
    if rule.half:
        rejects = min(rejects, rule.half - tally.rejects)
    return min(accepts, rejects, rule.most - tally.votes)


def half_of(k: int, there: int) -> int:
    """Returns how many are more than half of the accounts that are there, and no fewer than k; 0 if
    more are there than may vote.

    Among few a lot chooses nobody: who votes first would decide, and that can be a ring. Where one
    vote is asked for, one decides.
    """
    return max(k, there // 2 + 1) if k > 1 and there <= MOST_VOTES else 0


def newcomers_count(
    k: int, cast: VoteTally, trusted: VoteTally, there: int, trusted_there: int
) -> bool:
    """True if votes of accounts in probation count: fewer accounts are out of it than accepting
    takes, and of those `cast` k + 2 agree, and more than half of the accounts that are there, or as
    many as ever vote. Where not all may vote, none differs.

    Newcomers add to the `trusted` votes and replace none: of the trusted accounts k agree with
    them, or all that are there, and no more differ.
    """
    if trusted_there >= (half_of(k, there) or k):
        return False
    wanted = max(k + MORE_IN_PROBATION, min(MOST_VOTES, there // 2 + 1))
    agreeing, differing = max(cast.accepts, cast.rejects), min(cast.accepts, cast.rejects)
    agree, differ = trusted.accepts, trusted.rejects
    if cast.rejects > cast.accepts:
        agree, differ = differ, agree
    return (
        agreeing >= wanted
        and (there <= MOST_VOTES or not differing)
        and agree >= max(differ, min(k, trusted_there))
    )


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
