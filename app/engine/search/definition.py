"""Questions of the form "What is X?" or "What does X do?", and the sentences that say so."""

import re
from collections.abc import Sequence

_ARTICLE = r"(?:an?|the|ein|eine|der|die|das|un|une|le|la|les|el|los|las|l['’])"
# What is named may not relate two things: "the capital of France" has no entry of its own.
_SUBJECT = (
    rf"(?:{_ARTICLE}\s+)?[\"“'‘`]?(?P<subject>[\w.+#*-]+(?: [\w.+#*-]+){{0,3}}?)(?:\(\))?[\"”'’`]?"
)
_QUESTIONS = tuple(
    re.compile(rf"\s*{before}\s+{_SUBJECT}{behind}\s*[?.!]*\s*", re.IGNORECASE)
    for before, behind in (
        (
            r"(?:what(?:['’]s| is| are)|(?:please )?define|was (?:ist|sind|bedeutet)|"
            r"qu['’]est[- ]ce qu(?:e|['’])|qu['’]est|qu[ée] es|che cos['’]è|o que é|wat is)",
            r"(?: (?:good |used )?for)?",
        ),
        (r"what (?:does|do)", r" (?:do|mean|stand for)"),
        (r"what", r" (?:does|means?|is(?: (?:good |used )?for)?)"),
        (
            r"(?:was (?:macht|tut|bewirkt)|(?:wozu|wofür) (?:dient|braucht man)|"
            r"à quoi sert|para qué sirve|a (?:che )?cosa serve)",
            "",
        ),
    )
)
_RELATES = re.compile(
    r"\b(?:of|in|for|between|on|at|when|if|to|by|with|from|and|or|than|as|that|which|default|"
    r"known|famous|noted|named|responsible|required|needed|"
    r"von|im|für|zwischen|bei|wenn|de|du|des|del|di|do|da|van|voor)\b",
    re.IGNORECASE,
)
_SAYS = (
    r"(?:is|are|was|were|refers? to|means?|stands? for|denotes?|describes?|"
    r"ist|sind|war|bezeichnet|bedeutet|est|sont|désigne|es|son|é|são|significa)"
)
_KIND = rf"(?:{_ARTICLE}|any|one|each|something|objects?)\b"
_COPULAS = frozenset(
    ("is", "are", "was", "were", "ist", "sind", "war", "est", "sont", "es", "son", "é", "são")
)
# What a name may be called: "the VACUUM command".
_SORT = (
    r"(?:command|statement|function|method|module|class|option|setting|parameter|program|utility|"
    r"operator|clause|keyword|directive|attribute|pragma|"
    r"befehl|anweisung|funktion|methode|modul|klasse|einstellung|programm)"
)
# A verb in the third person with what it acts on: "rebuilds the", "baut die".
_ACTS = (
    r"(?!(?:has|does|was|is|fails|needs|requires|hat|ist|war|braucht) )(?:"
    r"[a-z]{2,}(?<!s)s(?: and [a-z]{2,}(?<!s)s)? (?:an?|the|all|any|each|every|one|its|new|what)|"
    r"[a-zäöüß]{2,}t (?:eine?[mnrs]?|de[mnrs]|die|das|alle[nrs]?|jede[nrs]?))\b"
)
# Between the subject and the verb: an abbreviation, an apposition.
_ASIDE = r"(?: ?\((?!but\b|not\b)[^)]{1,60}\))?(?: ?,[^,.;:]{1,60},)?(?: or [\w ]{1,30})?"
_ENDING = r"(?:e?s|en|n)?(?:\([^)]*\))?"

_AN_ARTICLE = re.compile(rf"{_ARTICLE} ")
_A_SORT = re.compile(rf"{_SORT} ")
_CALLED = re.compile(r"\b(?:called|named|genannt) ")
# What comes behind the subject. The subject itself is in no pattern: to compile one for each
# question would take longer than to match it.
_IS_SAID = re.compile(rf"{_ENDING}{_ASIDE} (?P<says>{_SAYS})\b(?P<kind> {_KIND})?")
_ACTED = re.compile(rf"{_ENDING}(?: {_SORT})? {_ACTS}")
_ENDS = re.compile(rf"{_ENDING}\b")
_ACTING = re.compile(rf"(?:this {_SORT} )?{_ACTS}")
_BESIDE_NAME = re.compile(rf"^(?:[\d.]+ )?(?:{_ARTICLE} )?(?:{_SORT} )?| ?\(.*| {_SORT}$")


def subject_of(question: str) -> str | None:
    """Returns what a question wants defined, without its article and in lower case, or None."""
    matches = (pattern.fullmatch(question) for pattern in _QUESTIONS)
    match = next(filter(None, matches), None)
    if match is None or _RELATES.search(match["subject"]):
        return None
    return _plain(match["subject"])


def defines(text: str, subject: str, heading: str = "") -> float:
    """Rates how surely a sentence, or a term with the sentence under it, says what `subject` is or
    does.

    1 for an entry under the subject's own name, for "X is a …" or "X means …", and, where `heading`
    names the subject, for "Returns a …"; .8 for "X rebuilds the …"; .6 for other statements about X
    ("X is used …") and for "…, called X"; else 0.
    """
    first, _, rest = text.partition("\n")
    if rest and _names(first, subject):
        return 1.0
    plain = _plain(text)
    if heading and _names(heading, subject) and _ACTING.match(plain):
        return 1.0
    starts = _behind(_AN_ARTICLE, plain, [0])
    if said := _after(subject, plain, starts, _IS_SAID):
        return 1.0 if said["kind"] or said["says"] not in _COPULAS else 0.6
    if _after(subject, plain, _behind(_A_SORT, plain, starts), _ACTED):
        return 0.8
    called = _behind(_AN_ARTICLE, plain, [match.end() for match in _CALLED.finditer(plain)])
    return 0.6 if _after(subject, plain, called, _ENDS) else 0.0


def _behind(optional: re.Pattern[str], text: str, starts: Sequence[int]) -> list[int]:
    """The places behind what may stand at each start, each followed by the start itself."""
    places: list[int] = []
    for start in starts:
        match = optional.match(text, start)
        places += [match.end(), start] if match else [start]
    return places


def _after(
    subject: str, text: str, starts: Sequence[int], pattern: re.Pattern[str]
) -> re.Match[str] | None:
    """The first match of `pattern` behind the subject, where that begins at one of `starts`."""
    ends = (start + len(subject) for start in starts if text.startswith(subject, start))
    return next(filter(None, (pattern.match(text, end) for end in ends)), None)


def _names(term: str, subject: str) -> bool:
    name = _BESIDE_NAME.sub("", _plain(term))
    return _same(name, subject) or (" " not in name and _same(name.rpartition(".")[2], subject))


def _same(term: str, subject: str) -> bool:
    return re.sub(r"\W", "", term).rstrip("s") == re.sub(r"\W", "", subject).rstrip("s")


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[\"“”'‘’`‐‑-]", " ", text).casefold().split())
