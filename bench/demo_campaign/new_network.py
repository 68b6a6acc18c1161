"""The play of a new network: ten new accounts judge records of a manual. The funder judges ten."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final

from citegrid import Client
from citegrid.errors import Conflict
from citegrid.nouns.campaigns.campaign_results import CampaignRecord, CampaignRun

from bench.demo_campaign import books, cast, manual_pages, report
from bench.demo_campaign.cast import Part, Player
from bench.demo_campaign.manual_pages import ManualPage
from bench.demo_campaign.service import Service, until

OBJECTIVE: Final = "The name and the synopsis of each command in the manual"
SECONDS: Final = 2_400.0
LEAST_ACCEPTED: Final = 0.8
VALIDATORS: Final = 2
JUDGED: Final = 10
WORK: Final = ("extraction", "validation")
HONEST: Final = tuple(Part(f"honest-{n}", WORK) for n in range(1, 5))
RING: Final = tuple(Part(f"ring-{n}", WORK, "ring", capacity=8) for n in range(1, 4))
LAZY: Final = Part("lazy", WORK, "lazy")
SLOW: Final = Part("slow", WORK, "slow", capacity=1)
GARBAGE: Final = Part("garbage", WORK, "garbage")
EVERYBODY: Final = (*HONEST, *RING, LAZY, SLOW, GARBAGE)
CHEATS: Final = (*RING, LAZY, GARBAGE)
STATES: Final = ("candidate", "accepted", "rejected", "unresolved")
SETTINGS: Final = {
    "REVIEW_ALONE_SECONDS": "10",  # how soon votes are counted anew
    "REVIEW_OPEN_SECONDS": "900",  # else six hours
}


def played(
    running: Service,
    address: str,
    stack: ExitStack,
    home: Path,
    pages: Sequence[ManualPage],
    seed: int,
) -> list[str]:
    """The whole play; what should have come out otherwise."""
    running.operator("index", "add", "manual", address, "--kind", "site")
    report.say(f"Crawled {len(pages)} pages at {address}")
    funder = cast.signed_in(running, "funder")
    running.operator("credits", "grant", "funder@example.org", "30")
    players = [cast.player(running, part) for part in EVERYBODY]
    stack.enter_context(cast.at_work(running, players, home, seed))
    report.say(f"Started {len(players)} nodes of new accounts: {_names(players)}")
    campaign = _funded(funder, len(pages))
    known = {page.name: page for page in pages}
    until(lambda: _judged(funder, campaign, known), SECONDS, lambda: True, 2.0)
    _watched(funder, campaign, players)
    records = list(funder.campaigns.records(campaign, state="any"))
    report.tell("Records", _of_records(records, known))
    report.tell("Accounts", _of_accounts(players))
    report.tell("Rewards", report.of_rewards(players))
    report.tell("Money", report.of_money(funder.campaigns.get(campaign)))
    return list(_problems(players, records, known))


def _names(players: Sequence[Player]) -> str:
    return ", ".join(each.part.name for each in players)


def _funded(funder: Client, target: int) -> str:
    made = funder.campaigns.create(
        "a new network",
        OBJECTIVE,
        {"sources": ["web"], "freshness": "7d", "records_target": target},
        {"token": "USD", "amount": "20"},
        {"min_validators": VALIDATORS, "require_citations": True},
        schema=manual_pages.SCHEMA,
    )
    funder.campaigns.fund(made.id, "20")
    report.say(f"Funded a campaign for {target} records with {VALIDATORS} validators each")
    return made.id


def _judged(funder: Client, campaign: str, known: dict[str, ManualPage]) -> bool | None:
    """The funder looks at the first candidates and says which of them are right, as people would
    on their pages. None: there are not so many yet."""
    candidates = list(funder.campaigns.list_records(campaign, state="candidate", limit=JUDGED))
    if len(candidates) < JUDGED:
        return None
    for each in candidates:
        with suppress(Conflict):  # decided meanwhile
            right = _is_good(each, known)
            funder.campaigns.judge(campaign, each.id, "accept" if right else "reject")
    report.say(f"The funder judged {JUDGED} records")
    return True


def _watched(funder: Client, campaign: str, players: Sequence[Player]) -> CampaignRun:
    """The campaign's first run, once it has closed."""

    def look() -> CampaignRun | None:
        run = next(iter(funder.campaigns.runs(campaign)), None)
        if run is None:
            return None
        counts = funder.campaigns.statistics(campaign).records
        gone = [each for each in players if books.tested(each.account_id).suspended_at]
        known = ", ".join(f"{counts[state]} {state}" for state in STATES if counts[state])
        found = f"; suspended: {_names(gone)}" if gone else ""
        report.say(f"  run {run.state}: {known or 'no record yet'}{found}", once="run")
        return run if run.state == "closed" else None

    return until(look, SECONDS, lambda: True, 2.0)


def _is_good(record: CampaignRecord, known: dict[str, ManualPage]) -> bool:
    page = known.get(record.url.rsplit("/", 1)[-1])
    return page is not None and page.states(record.data)


def _of_records(records: Sequence[CampaignRecord], known: dict[str, ManualPage]) -> Iterator[str]:
    for good, word in ((True, "good"), (False, "junk")):
        states = Counter(each.state for each in records if _is_good(each, known) is good)
        yield f"{word}: " + ", ".join(f"{count} {state}" for state, count in states.most_common())
    accepted = {each.url for each in records if each.state == "accepted"}
    yield f"pages with an accepted record: {len(accepted)} of {len(known)}"
    reasons = Counter(reason.category for each in records for reason in each.reasons)
    yield "reasons: " + ", ".join(f"{count} {what}" for what, count in reasons.most_common())
    votes = sum(each.independent_votes for each in records)
    yield f"votes that counted: {votes}"


def _of_accounts(players: Sequence[Player]) -> Iterator[str]:
    yield f"{'node':<12} {'right':>5} {'wrong':>5} {'accepted':>8} {'rejected':>8}  state"
    for player in players:
        seen = books.tested(player.account_id)
        state = f"suspended: {seen.reason}" if seen.suspended_at else ""
        counts = f"{seen.right:>5} {seen.wrong:>5} {seen.accepted:>8} {seen.rejected:>8}"
        yield f"{player.part.name:<12} {counts}  {state}"


def _voters(record: CampaignRecord, players: Sequence[Player]) -> str:
    """For whoever has to find out why: `(ring-1)` is a vote that did not count."""
    names = {each.account_id: each.part.name for each in players}
    votes = [
        (f"{'+' if accepts else '-'}{names[account]}", counted)
        for account, accepts, counted in books.voters(record.id)
    ]
    return " ".join(vote if counted else f"({vote})" for vote, counted in votes)


def _problems(
    players: Sequence[Player], records: Sequence[CampaignRecord], known: dict[str, ManualPage]
) -> Iterator[str]:
    good = [each for each in records if _is_good(each, known) and each.duplicate_of is None]
    accepted = [each for each in good if each.state == "accepted"]
    if len(accepted) < LEAST_ACCEPTED * len(good) or not accepted:
        yield f"{len(accepted)} of {len(good)} good records were accepted"
    for each in records:
        if each.state == "accepted" and not _is_good(each, known):
            yield f"junk was accepted: {each.id} {dict(each.data)} by {_voters(each, players)}"
        if each.state == "accepted" and each.independent_votes < VALIDATORS:
            yield f"{each.id} was accepted with {each.independent_votes} independent votes"
    gone = [each.part for each in players if books.tested(each.account_id).suspended_at]
    yield from (f"{part.name} was suspended" for part in gone if part not in CHEATS)
    if not any(part in CHEATS for part in gone):
        yield "no cheat was found out"
    if broken := books.audited()[0]:
        yield f"the ledger breaks {broken}"
