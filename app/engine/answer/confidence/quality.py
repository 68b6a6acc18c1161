"""The quality of a source for a query: formula q1, in parts that can be shown.

quality_score = R x (.5 + .5 T), T = the weighted mean of the parts that are known: authority .35,
content .25, agreement .25, freshness .15; .5 when none is known. Relevance
gates: a famous page that does not answer stays low, and R/2 <= score <= R. An unknown part is None
and leaves the mean. Only relevance is measured against judged data; the score orders and is shown,
it never removes a source.
"""

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field
from datetime import datetime
from typing import Literal

from app.engine.search.overlap import Relevance
from app.engine.text.simhash import INDEPENDENT_BITS, NEAR_DUPLICATE_BITS

FORMULA = "q1"
WEIGHTS = {"authority": 0.35, "content": 0.25, "agreement": 0.25, "freshness": 0.15}
DENIED_CEILING = 0.1
LINKS_CAP = 50
HALF_LIFE_FRESH_DAYS = 90.0
HALF_LIFE_DAYS = 3 * 365.25
FULL_WORDS = 300


@dataclass(frozen=True, slots=True)
class PublisherIdentity:
    """The statements of a page about who is behind it; None means not known."""

    https: bool | None
    author: bool | None
    publisher: bool | None
    contact: bool | None


@dataclass(frozen=True, slots=True)
class ContentFacts:
    """The facts known of a page's text; None means not known.

    `main_text_ratio` is main text / all text, 0 to 1. `blocked` says what the page is instead of a
    text (`soft_404`, `paywall`, `consent_wall`, `thin_list`) or False. `distance_to_better` is the
    simhash distance in bits to the nearest source of higher relevance.
    """

    words: int
    main_text_ratio: float | None = None
    language_matches: bool | None = None
    blocked: str | Literal[False] | None = None
    distance_to_better: int | None = None


@dataclass(frozen=True, slots=True)
class Support:
    """A source's cited sentences and how many of them an independent source supports.

    `independent_sources` counts the sources of the search that are `independent` of each other,
    this one included.
    """

    claims: int
    supported: int
    independent_sources: int


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """Everything the formula may use of one source; what is None is not known.

    `relevance` holds the features of each of its passages. `listed` is the operator's verdict on
    its registrable domain. `linking_domains` counts registrable domains that link to it in our own
    crawl. `engines_returning` of `engines_asked` engines found it.
    """

    relevance: Sequence[Relevance]
    now: datetime
    listed: Literal["allow", "deny"] | None = None
    linking_domains: int | None = None
    engines_returning: int | None = None
    engines_asked: int | None = None
    identity: PublisherIdentity | None = None
    published_at: datetime | None = None
    wants_fresh: bool = False
    content: ContentFacts | None = None
    support: Support | None = None


@dataclass(frozen=True, slots=True)
class Quality:
    """The score and its parts, each 0 to 1 and rounded to three decimals, or None when unknown."""

    quality_score: float
    relevance: float
    authority: float | None
    freshness: float | None
    content: float | None
    agreement: float | None
    formula: str = field(default=FORMULA, init=False)


def quality(facts: SourceFacts) -> Quality:
    """Formula q1 for one source. `now` and `published_at` are both aware or both naive."""
    relevance = max((x.probability for x in facts.relevance), default=0.0)
    parts = {
        "authority": authority(facts),
        "content": content(facts.content),
        "agreement": agreement(facts.support),
        "freshness": freshness(facts.published_at, facts.now, facts.wants_fresh),
    }
    trust = _mean_of_known(*((WEIGHTS[name], value) for name, value in parts.items()))
    score = relevance * (0.5 + 0.5 * (0.5 if trust is None else trust))
    if facts.listed == "deny":
        score = min(score, DENIED_CEILING)
    return Quality(
        round(score, 3),
        round(relevance, 3),
        **{name: None if part is None else round(part, 3) for name, part in parts.items()},
    )


def authority(facts: SourceFacts) -> float | None:
    """By an operator's list (1 or 0), else the mean of links, engines and identity."""
    if facts.listed is not None:
        return 1.0 if facts.listed == "allow" else 0.0
    stated = () if facts.identity is None else astuple(facts.identity)
    return _mean_of_known(
        (1, _links(facts.linking_domains)),
        (1, _consensus(facts.engines_returning, facts.engines_asked)),
        (1, _mean_of_known(*((1, known) for known in stated))),
    )


def _links(domains: int | None) -> float | None:
    if domains is None:
        return None
    return math.log1p(min(domains, LINKS_CAP)) / math.log1p(LINKS_CAP)


def _consensus(returning: int | None, engines: int | None) -> float | None:
    if returning is None or not engines:
        return None
    return min(1.0, returning / engines)


def content(facts: ContentFacts | None) -> float | None:
    """.4 length + .2 main text share + .2 language + .2 not blocked, over what is known; halved for
    a near-duplicate of a better source."""
    if facts is None:
        return None
    ratio = facts.main_text_ratio
    mean = _mean_of_known(
        (0.4, min(1.0, facts.words / FULL_WORDS)),
        (0.2, None if ratio is None else min(ratio, 0.5) * 2),
        (0.2, facts.language_matches),
        (0.2, None if facts.blocked is None else not facts.blocked),
    )
    distance = facts.distance_to_better
    repeats = distance is not None and distance <= NEAR_DUPLICATE_BITS
    return mean / 2 if mean is not None and repeats else mean


def agreement(support: Support | None) -> float | None:
    """(supported claims + 1) / (claims + 2); unknown without a second source."""
    if support is None or support.claims < 1 or support.independent_sources < 2:
        return None
    return (min(support.supported, support.claims) + 1) / (support.claims + 2)


def independent(domain: str, other_domain: str, simhash_distance: int) -> bool:
    """True if two sources speak for themselves: other registrable domain, other text."""
    return domain != other_domain and simhash_distance > INDEPENDENT_BITS


def freshness(published_at: datetime | None, now: datetime, wants_fresh: bool) -> float | None:
    """2^(-age / 90 days) when the request limits the age, else .5 + .5 x 2^(-age / 3 years); a date
    in the future is not believed."""
    if published_at is None or published_at > now:
        return None
    days = (now - published_at).total_seconds() / 86_400
    left: float = 2 ** (-days / half_life_days(wants_fresh))
    return left if wants_fresh else 0.5 + 0.5 * left


def half_life_days(wants_fresh: bool) -> float:
    """After how many days the freshness that age can take away has halved."""
    return HALF_LIFE_FRESH_DAYS if wants_fresh else HALF_LIFE_DAYS


def _mean_of_known(*parts: tuple[float, float | None]) -> float | None:
    """The mean of values by their weights; None when no value is known."""
    known = [(weight, value) for weight, value in parts if value is not None]
    total = sum(weight for weight, _ in known)
    return sum(weight * value for weight, value in known) / total if known else None
