"""What the demonstration ends with, as tables."""

import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any, Final

from citegrid.nouns.campaigns.campaign_results import Campaign, CampaignRecord

from bench.demo_campaign import books
from bench.demo_campaign.cast import COLLUDER, LAZY, Player

_BEGAN: Final = time.monotonic()
_SHOWN = 5
_LONGEST = 60


def of_records(records: Sequence[CampaignRecord]) -> Iterator[str]:
    states = Counter(record.state for record in records)
    yield "Records: " + ", ".join(f"{count} {state}" for state, count in states.most_common())
    for record in [each for each in records if each.state == "accepted"][:_SHOWN]:
        yield f"  {record.data['setting']} = {record.data['default']}   ({record.url})"
        for quote in record.provenance:
            where = f"{quote.pointer} at {quote.start}"
            yield f"      {where:<18} {quote.quote[:_LONGEST]!r}"
    reasons = Counter(
        reason.category for record in records for reason in record.reasons if reason.category
    )
    yield "Reasons of rejections: " + ", ".join(f"{n} {what}" for what, n in reasons.most_common())


def of_nodes(players: Sequence[Player]) -> Iterator[str]:
    yield f"{'node':<12} {'right':>5} {'wrong':>5} {'gold':>5} {'Wald':>6}  state"
    for player in players:
        seen = books.tested(player.account_id)
        state = f"suspended: {seen.reason}" if seen.suspended_at else "trusted"
        if not seen.answers:
            state = "never judged"
        counts = f"{seen.right:>5} {seen.wrong:>5} {seen.gold:>5} {seen.wald:>6.2f}"
        yield f"{player.part.name:<12} {counts}  {state}"


def of_rewards(players: Sequence[Player]) -> Iterator[str]:
    names = ("pending", "frozen", "available", "paid")
    yield f"{'node':<12} {'as':<12} {'entries':>7} {'amount':>14}  state"
    for player in players:
        entries = list(player.client.rewards.iterate())
        for role in sorted({entry.role for entry in entries}):
            mine = [entry for entry in entries if entry.role == role]
            total = sum((entry.amount for entry in mine), Decimal(0))
            states = Counter(entry.state for entry in mine)
            said = ", ".join(f"{n} {state}" for state, n in states.items())
            yield f"{player.part.name:<12} {role:<12} {len(mine):>7} {total:>14f}  {said}"
        for balance in player.client.rewards.get():
            amounts = ", ".join(f"{getattr(balance, name):f} {name}" for name in names)
            yield f"{'':<12} {balance.token}: {amounts}"


def of_money(campaign: Campaign) -> Iterator[str]:
    broken, transfers = books.audited()
    kept = campaign.funded - campaign.spent - campaign.refunded - campaign.reserved
    yield (
        f"{campaign.name}: {campaign.funded:f} funded, {campaign.spent:f} spent, "
        f"{campaign.reserved:f} reserved, {kept:f} still there; "
        f"{campaign.reward_per_record:f} for a record"
    )
    balanced = "it adds up" if not broken else f"BROKEN: {broken}"
    yield f"Ledger: {transfers} transfers, {balanced}"


def problems(players: Sequence[Player], records: Sequence[CampaignRecord]) -> list[str]:
    """What should have come out otherwise."""
    accepted = [record for record in records if record.state == "accepted"]
    wrong = [] if accepted else ["no record was accepted"]
    wrong += [f"{r.id} has no provenance" for r in accepted if not r.provenance]
    for player in players:
        caught = books.tested(player.account_id).suspended_at is not None
        if player.part in (LAZY, COLLUDER) and not caught:
            wrong.append(f"{player.part.name} was not found out")
        if player.part.role is None and caught:
            wrong.append(f"{player.part.name} was suspended")
    if broken := books.audited()[0]:
        wrong.append(f"the ledger breaks {broken}")
    return wrong


_LAST: dict[str, Any] = {}


def say(text: str, once: str = "") -> None:
    """A line with the seconds since the beginning; of one kind only what is new."""
    if once and _LAST.get(once) == text:
        return
    _LAST[once] = text
    sys.stdout.write(f"{time.monotonic() - _BEGAN:6.1f} s  {text}\n")
    sys.stdout.flush()


def tell(title: str, lines: Iterable[str]) -> None:
    sys.stdout.write(f"\n{title}\n{'-' * len(title)}\n" + "\n".join(lines) + "\n")
    sys.stdout.flush()
