"""A network with lazy, random and colluding nodes, judged by the product's own functions.

Run `python -m bench.judging`: 60 accounts, 4,000 records, fixed seeds. A tenth of those outside the
ring accepts everything, a tenth votes at random, the others are right 88 to 97 times in a hundred.
The ring's own records are junk to 80 % (others' to 20 %); it accepts them, and is honest elsewhere,
so that gold never catches it. `--floors` exits 1 when a ring of 30 % gets more than 3 % of its junk
accepted, more than 2 % of the honest are suspended, or a record takes more than five votes.
"""

import argparse
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from statistics import fmean, median
from uuid import UUID

from app.engine.judging import draw, gold
from app.engine.judging.quorum import Rule, VoteTally, outcome
from app.engine.judging.wald import Answers
from bench.figures import Aim, conclude
from bench.own_check import MEASURED, Rates

ACCOUNTS, RECORDS, RUNS = 60, 4_000, 4
SHARES = (0.0, 0.2, 0.3, 0.4)
RING = 0.3  # what the bounds are of
BAD_ELSEWHERE, BAD_IN_RING = 0.20, 0.80
MOST_JUNK, MOST_HONEST_SUSPENDED, MOST_VOTES_A_RECORD = 0.03, 0.02, 5.0
KINDS = ("lazy", "random", "colluding", "honest")


@dataclass(frozen=True, slots=True)
class Judged:
    """A way to judge: the lead, and how good our own check is (None: there is none)."""

    name: str
    k: int
    check: Rates | None


RULES = (
    Judged("k = 3, no own check", 3, None),
    Judged("k = 3, check sees 50 %", 3, Rates(seen=0.50, doubted=0.08)),
    Judged("k = 3, check sees 75 %", 3, Rates(seen=0.75, doubted=0.08)),
    Judged("k = 2, check sees 75 %", 2, Rates(seen=0.75, doubted=0.08)),
    Judged("k = 3, check as measured", 3, MEASURED),
    Judged("k = 2, check as measured", 2, MEASURED),
)
FLOORS = (RULES[2], RULES[4])


@dataclass(slots=True)
class Account:
    id: UUID
    kind: str
    skill: float
    answers: Answers = field(default_factory=Answers)
    gold: int = 0
    votes: int = 0
    suspended_after: int | None = None

    def vote(self, good: bool, of_ring: bool, dice: random.Random) -> bool:
        self.votes += 1
        if self.kind == "lazy" or (self.kind == "colluding" and of_ring):
            return True
        if self.kind == "random":
            return dice.random() < 0.5
        return good if dice.random() < self.skill else not good

    def learn(self, right: bool) -> None:
        self.answers = self.answers.learned(right)
        if self.answers.fails and self.suspended_after is None:
            self.suspended_after = self.votes


@dataclass(slots=True)
class Record:
    id: UUID
    good: bool
    of_ring: bool
    accepted: bool = False


@dataclass(slots=True)
class Figures:
    """Of one run. `suspended` has the share and the median number of votes by kind."""

    junk: float
    junk_late: float
    precision: float
    recall: float
    votes: float
    suspended: dict[str, tuple[float, float]] = field(default_factory=dict)


class World:
    def __init__(self, share: float, seed: int, records: int) -> None:
        self.dice = dice = random.Random(seed)
        ring = round(ACCOUNTS * share)
        tenth = (ACCOUNTS - ring) // 10
        kinds = ["colluding"] * ring + ["lazy"] * tenth + ["random"] * tenth
        kinds += ["honest"] * (ACCOUNTS - len(kinds))
        self.accounts = [Account(_id(dice), kind, dice.uniform(0.88, 0.97)) for kind in kinds]
        self.records = [self._record(share) for _ in range(records)]
        self.votes = 0

    def _record(self, share: float) -> Record:
        of_ring = self.dice.random() < share
        good = self.dice.random() >= (BAD_IN_RING if of_ring else BAD_ELSEWHERE)
        return Record(_id(self.dice), good, of_ring)

    def judge(self, record: Record, judged: Judged) -> None:
        rule = Rule.of(judged.k, doubted=self._doubted(record, judged.check))
        cast, state = list[tuple[Account, bool]](), None
        for account in self._drawn(record):
            if not self._passes_gold(account):
                continue
            accepts = account.vote(record.good, record.of_ring, self.dice)
            cast.append((account, accepts))
            if state := outcome(rule, VoteTally.of([accepts for _, accepts in cast])):
                break
        self.votes += len(cast)
        record.accepted = state == "accepted"
        if state in ("accepted", "rejected"):
            for account, accepts in cast:
                account.learn(accepts == record.accepted)

    def _doubted(self, record: Record, check: Rates | None) -> bool:
        if check is None:
            return False
        return self.dice.random() < (check.doubted if record.good else check.seen)

    def _drawn(self, record: Record) -> Iterator[Account]:
        """In the order in which the record is open to them."""
        able = [each for each in self.accounts if each.suspended_after is None]
        return iter(sorted(able, key=lambda each: draw.number(record.id, each.id)))

    def _passes_gold(self, account: Account) -> bool:
        """The gold items that are due come first. False: the account failed at them."""
        while account.suspended_after is None and gold.due(
            self.dice.random(), newcomer=gold.in_probation(account.gold)
        ):
            truth = gold.wanted_truth(self.dice.random())
            account.gold += 1
            self.votes += 1
            account.learn(account.vote(truth, False, self.dice) == truth)
        return account.suspended_after is None

    def figures(self) -> Figures:
        half = len(self.records) // 2
        junk = [each.accepted for each in self.records if each.of_ring and not each.good]
        late = [each.accepted for each in self.records[half:] if each.of_ring and not each.good]
        return Figures(
            junk=fmean(junk or [0]),
            junk_late=fmean(late or [0]),
            precision=fmean([each.good for each in self.records if each.accepted] or [1]),
            recall=fmean([each.accepted for each in self.records if each.good] or [1]),
            votes=self.votes / len(self.records),
            suspended={kind: self._suspended(kind) for kind in KINDS},
        )

    def _suspended(self, kind: str) -> tuple[float, float]:
        ended = [each.suspended_after for each in self.accounts if each.kind == kind]
        gone = [after for after in ended if after is not None]
        return len(gone) / max(1, len(ended)), median(gone) if gone else 0


def _id(dice: random.Random) -> UUID:
    return UUID(int=dice.getrandbits(128))


def simulate(judged: Judged, share: float, *, runs: int = RUNS, records: int = RECORDS) -> Figures:
    """The mean of so many runs with seeds 0, 1, 2, ..."""
    figures = [_run(judged, share, seed, records) for seed in range(runs)]
    mean = partial(_mean, figures)
    suspended = {
        kind: tuple(fmean(each.suspended[kind][at] for each in figures) for at in (0, 1))
        for kind in KINDS
    }
    return Figures(
        mean("junk"), mean("junk_late"), mean("precision"), mean("recall"), mean("votes"),
        suspended,  # type: ignore[arg-type] # pairs
    )  # fmt: skip


def _mean(figures: list[Figures], name: str) -> float:
    return fmean(getattr(each, name) for each in figures)


def _run(judged: Judged, share: float, seed: int, records: int) -> Figures:
    world = World(share, seed, records)
    for record in world.records:
        world.judge(record, judged)
    return world.figures()


def misses(figures: Figures) -> list[str]:
    """What a ring of 30 % must not reach and has."""
    honest = figures.suspended["honest"][0]
    return [
        text
        for text, missed in (
            (f"junk accepted {figures.junk:.1%}", figures.junk > MOST_JUNK),
            (f"honest suspended {honest:.1%}", honest > MOST_HONEST_SUSPENDED),
            (f"votes a record {figures.votes:.2f}", figures.votes > MOST_VOTES_A_RECORD),
        )
        if missed
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only see that it works")
    parser.add_argument(
        "--floors", action="store_true", help="only the ring of 30 %%; exit 1 below"
    )
    options = parser.parse_args()
    runs, records = (1, 300) if options.quick else (RUNS, RECORDS)
    rules, shares = (FLOORS, (RING,)) if options.floors else (RULES, SHARES)
    missed: list[str] = []
    reached: dict[str, Figures] = {}
    for share in shares:
        print(f"\nring of {share:.0%}")
        print(f"{'':26}junk accepted (2nd half)  precision  recall  votes  suspended (after votes)")
        for judged in rules:
            figures = simulate(judged, share, runs=runs, records=records)
            print(_line(judged, figures))
            if share == RING and judged in FLOORS:
                reached[judged.name] = figures
            if options.floors and not options.quick:
                missed += [f"{judged.name}: {text}" for text in misses(figures)]
    for text in missed:
        print(f"missed: {text}")
    conclude("judging", [aim for name, of in reached.items() for aim in _aims(name, of)])
    sys.exit(bool(missed))


def _aims(name: str, figures: Figures) -> list[Aim]:
    honest = figures.suspended["honest"][0]
    return [
        Aim(f"junk accepted of a ring of {RING:.0%}, {name}", figures.junk, "<=", MOST_JUNK),
        Aim(f"honest accounts suspended, {name}", honest, "<=", MOST_HONEST_SUSPENDED),
        Aim(f"votes a record, {name}", figures.votes, "<=", MOST_VOTES_A_RECORD),
    ]


def _line(judged: Judged, figures: Figures) -> str:
    suspended = "  ".join(
        f"{kind} {share:.0%} ({votes:.0f})" for kind, (share, votes) in figures.suspended.items()
    )
    return (
        f"{judged.name:<26}{figures.junk:>13.1%} ({figures.junk_late:.1%})"
        f"{figures.precision:>14.3f}{figures.recall:>8.3f}{figures.votes:>7.2f}  {suspended}"
    )


if __name__ == "__main__":
    main()
