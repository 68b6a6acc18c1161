"""The sites and languages that a text prefers or avoids, and results in the order that follows."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from app.engine.search.rank import RankedPassage
from app.engine.text.scripts import primary_language

# Of the span between the best and the worst score: enough to come before what fits somewhat better,
# not before what fits far better. What is avoided comes last.
LIKED_SITE, AVOIDED_SITE = 0.5, -1.5
LIKED_LANGUAGE, AVOIDED_LANGUAGE = 0.3, -0.6

_PART: Final = re.compile(
    r"(?P<host>\b(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,24}\b)"
    r"|(?P<word>[^\W\d_]+(?:['’][^\W\d_]+)?)"
    r"|(?P<end>[.;!?\n])",
    re.IGNORECASE,
)
_AGAINST: Final = """
    avoid avoids avoiding distrust dislike dislikes ignore ignores except excluding without never
    not no don't dont don’t over than instead
    nicht nie kein keine keinen ohne statt meide meiden vermeide vermeiden ausser außer
    pas jamais sans évite éviter sauf nunca evita evitar sin excepto
    """
_FOR: Final = """
    but prefer prefers use trust like likes rather only first
    aber sondern bevorzuge lieber mais préfère pero prefiero
    """
_NAMES: Final = """
    ar arabic; cs czech čeština; da danish dansk; de german deutsch deutsche deutschen deutscher;
    el greek; en english englisch englische englischen anglais; es spanish español spanisch;
    fi finnish suomi; fr french français französisch francés; hi hindi; hu hungarian magyar;
    it italian italiano italienisch; ja japanese; ko korean; nl dutch nederlands;
    no norwegian norsk; pl polish polski; pt portuguese português; ro romanian;
    ru russian русский; sv swedish svenska; tr turkish türkçe; uk ukrainian; zh chinese
    """
_DENIED: Final = re.compile(
    r"\b(?:don['’]t|do not|not|never|no|nicht|nie)\s+(?:use|trust|like|prefer)\b", re.IGNORECASE
)
_LIKING: Final[Mapping[str, bool]] = {
    **dict.fromkeys(_AGAINST.split(), False),
    **dict.fromkeys(_FOR.split(), True),
}
_LANGUAGES: Final[Mapping[str, str]] = {
    name: code for code, *names in map(str.split, _NAMES.split(";")) for name in names
}
_LABEL: Final = re.compile(r"(site|domain|avoid|language|lang):(\S+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Preference:
    """Sites and languages by code, each liked (True) or avoided. `key` says whose it is."""

    key: str = ""
    sites: dict[str, bool] = field(default_factory=dict)
    languages: dict[str, bool] = field(default_factory=dict)

    def weight(self, host: str, language: str | None) -> float:
        """Returns the weight added for a page there, in spans of the scores."""
        weights = [
            LIKED_SITE if liked else AVOIDED_SITE
            for site, liked in self.sites.items()
            if host == site or host.endswith(f".{site}")
        ]
        liked = self.languages.get(primary_language(language))
        if liked is not None:
            weights.append(LIKED_LANGUAGE if liked else AVOIDED_LANGUAGE)
        return sum(weights)


def read_preference(key: str, text: str, tags: Iterable[str] = ()) -> Preference:
    """Reads what a sentence says for or against sites and languages, and what labels do.

    A sentence as "prefer example.org over example.com", a label as `site:example.org`,
    `avoid:example.com` or `language:de`.
    """
    read = Preference(key, {}, {})
    liked = True
    for part in _PART.finditer(_DENIED.sub("avoid", text)):
        word = part[0].casefold()
        if part.lastgroup == "host":
            read.sites[word.removeprefix("www.")] = liked
        elif word in _LANGUAGES:
            read.languages[_LANGUAGES[word]] = liked
        else:
            liked = part.lastgroup == "end" or _LIKING.get(word, liked)
    for label in filter(None, map(_LABEL.fullmatch, tags)):
        _read_label(read, label[1].casefold(), label[2].casefold())
    return read


def _read_label(read: Preference, name: str, value: str) -> None:
    if name in ("language", "lang"):
        read.languages[primary_language(value)] = True
    else:
        read.sites[value.removeprefix("www.")] = name != "avoid"


def weigh(
    ranked: Sequence[RankedPassage],
    preferences: Sequence[Preference],
    host_of: Callable[[RankedPassage], str],
) -> tuple[list[RankedPassage], set[str]]:
    """The same results in the order that follows, and the keys of the preferences that counted.

    Scores stay within the bounds they had: no answer becomes surer for being liked.
    """
    weights = [
        {p.key: p.weight(host_of(x), x.passage.language) for p in preferences} for x in ranked
    ]
    counted = {key for each in weights for key, weight in each.items() if weight}
    if not counted:
        return list(ranked), set()
    lowest, highest = min(x.score for x in ranked), max(x.score for x in ranked)
    span = (highest - lowest) or abs(highest) or 1.0
    moved = [x.score + span * sum(each.values()) for x, each in zip(ranked, weights, strict=True)]
    shift = highest - max(moved)
    scored = [
        replace(x, score=max(lowest, score + shift)) for x, score in zip(ranked, moved, strict=True)
    ]
    order = sorted(range(len(ranked)), key=lambda n: -moved[n])
    return [scored[n] for n in order], counted
