"""Questions of the form "What is X?", and the sentences that say what X is."""

import re

_ARTICLE = r"(?:an?|the|ein|eine|der|die|das|un|une|le|la|les|el|los|las|l['’])"
# What follows may not relate two things: "the capital of France" has no entry of its own.
_QUESTION = re.compile(
    r"\s*(?:what(?:['’]s| is| are| does)|(?:please )?define|was (?:ist|sind|bedeutet)|"
    r"qu['’]est[- ]ce qu(?:e|['’])|qu['’]est|qu[ée] es|che cos['’]è|o que é|wat is)\s+"
    rf"(?:{_ARTICLE}\s+)?[\"“'‘]?(?P<subject>[\w.+#*-]+(?: [\w.+#*-]+){{0,3}}?)[\"”'’]?"
    r"(?: mean| good for| used for)?\s*[?.!]*\s*",
    re.IGNORECASE,
)
_RELATES = re.compile(
    r"\b(?:of|in|for|between|on|at|when|if|to|by|with|from|and|or|than|as|that|which|default|"
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
# Between the subject and the verb: an abbreviation, an apposition.
_ASIDE = r"(?: ?\([^)]{1,60}\))?(?: ?,[^,.;:]{1,60},)?(?: or [\w ]{1,30})?"


def subject_of(question: str) -> str | None:
    """What a question wants defined, without its article and in lower case, or None."""
    match = _QUESTION.fullmatch(question)
    if match is None or _RELATES.search(match["subject"]):
        return None
    return _plain(match["subject"])


def defines(text: str, subject: str) -> float:
    """How surely a sentence, or a term with the sentence under it, says what `subject` is.

    1 for an entry under the subject's own name and for "X is a …" or "X means …", .6 for other
    statements about X ("X is used …") and for "…, called X"; else 0.
    """
    first, _, rest = text.partition("\n")
    if rest and _same(_plain(first), subject):
        return 1.0
    plain = _plain(text)
    word = rf"{re.escape(subject)}(?:e?s|en|n)?"
    statement = re.match(
        rf"(?:{_ARTICLE} )?{word}{_ASIDE} (?P<says>{_SAYS})\b(?P<kind> {_KIND})?", plain
    )
    if statement:
        return 1.0 if statement["kind"] or statement["says"] not in _COPULAS else 0.6
    return 0.6 if re.search(rf"\b(?:called|named|genannt) (?:{_ARTICLE} )?{word}\b", plain) else 0.0


def _same(term: str, subject: str) -> bool:
    return re.sub(r"\W", "", term).rstrip("s") == re.sub(r"\W", "", subject).rstrip("s")


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[\"“”'‘’‐‑-]", " ", text).casefold().split())
