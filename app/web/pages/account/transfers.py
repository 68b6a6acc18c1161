"""The ledger in plain sentences: one for each transfer, with its lines as the double entry."""

from collections.abc import Mapping
from decimal import Decimal
from itertools import groupby
from typing import Any, Final, NamedTuple

from markupsafe import Markup, escape

from app.core import ids
from app.core.ids import Noun
from app.web.frame.money import money

OF_CREDIT: Final = {
    ("grant", True): "The operator granted you {}.",
    ("payment", True): "You bought {}.",
    ("fund", False): "You moved {} to a campaign. It is spent when the campaign pays for work.",
    ("refund", True): "A campaign returned {}.",
    ("chat", False): "{} was reserved for a chat.",
    ("chat", True): "{} came back from a chat's reservation.",
}
"""By the reason, and whether the money came in."""

OF_CAMPAIGNS: Final = {
    "fund": "You added {}.",
    "refund": "{} returned to your credit.",
    "reserve": "{} was reserved for a run.",
    "release": "{} that a run did not use is available again.",
    "record accepted": "{} was paid for an accepted record.",
    "pool shared": "{} was shared by the validators of a run.",
    "nobody to pay": "{} came back from a run that no validator voted in.",
    "appeal": "{} was reserved for an appeal.",
    "appeal refused": "{} reserved for an appeal is available again.",
    "appeal upheld": "{} was paid for a record accepted on appeal.",
    "dispute upheld": "{} came back after an upheld dispute.",
}
SPENT_ON: Final = {
    "record accepted": "Accepted records",
    "pool shared": "Votes of validators",
    "nobody to pay": "Runs that no validator voted in",
    "appeal upheld": "Records accepted on appeal",
    "dispute upheld": "Upheld disputes",
}
"""The reasons for which a campaign spends, or gets back what it spent."""

BALANCES: Final = {
    "escrow": "Available to the campaign",
    "reserved": "Reserved for runs and appeals",
    "pool": "Pool of the validators",
}


class Transfer(NamedTuple):
    """A transfer in a sentence, its amount without a sign, and its entries."""

    sentence: Markup
    amount: Decimal
    entries: list[Mapping[str, Any]]


def of_credit(entry: Mapping[str, Any]) -> Markup:
    amount = Decimal(entry["amount"])
    text = OF_CREDIT.get((entry["why"], amount > 0))
    return _sentence(text, entry["why"], abs(amount), entry["token"])


def of_campaign(page: Mapping[str, Any]) -> dict[str, Any]:
    """A page of lines as whole transfers: what the next page goes on with is on that page alone.

    Lines that were posted at once for one reason are one transfer.
    """
    groups = groupby(page["entries"], lambda entry: (entry["posted_at"], entry["why"]))
    lines, cursor = [list(group) for _, group in groups], page["next_cursor"]
    if cursor is not None and len(lines) > 1:
        lines.pop()
        cursor = ids.public(Noun.CURSOR, ids.lookup(Noun.LEDGER_ENTRY, lines[-1][-1]["id"]))
    return {"transfers": [_of_lines(each) for each in lines], "next_cursor": cursor}


def _of_lines(lines: list[Mapping[str, Any]]) -> Transfer:
    """Its amount is what the campaign paid or got, or else what it moved between its own balances.

    What is in the pool of a run is paid.
    """
    first, amounts = lines[0], [Decimal(line["amount"]) for line in lines]
    own = [Decimal(line["amount"]) for line in lines if line["kind"] != "pool"]
    amount = abs(sum(own, Decimal(0))) or max(map(abs, amounts))
    sentence = _sentence(OF_CAMPAIGNS.get(first["why"]), first["why"], amount, first["token"])
    return Transfer(sentence, amount, lines)


def _sentence(text: str | None, why: str, amount: Decimal, token: str) -> Markup:
    shown = money(amount, token)
    if text is None:  # a reason of a later release
        return Markup("{}: {}.").format(why.capitalize(), shown)
    return escape(text).format(shown)
