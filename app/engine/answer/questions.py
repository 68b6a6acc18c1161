"""What a question asks for, and whether a sentence offers something of that kind."""

import re
from enum import Enum

from app.engine.retrieval.definition import defines, subject_of


class Asked(Enum):
    """The kind of thing a question wants."""

    NUMBER = "number"
    DATE = "date"
    PERSON = "person"
    PLACE = "place"
    REASON = "reason"
    CODE = "code"
    METHOD = "method"
    DEFAULT = "default"
    DEFINITION = "definition"
    OTHER = "other"


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


# English, German, French, Spanish, Italian, Portuguese, Dutch; the first that matches decides.
_QUESTIONS: tuple[tuple[Asked, re.Pattern[str]], ...] = (
    (
        Asked.DEFAULT,
        _any(r"\bdefaults?\b", r"\b(vor|standard)(einstellung|wert)", r"\bpar défaut",
             r"\bpor defecto"),
    ),
    (
        Asked.CODE,
        _any(
            r"\b(what|which)\b.{0,30}\b(commands?|options?|flags?|settings?|parameters?|functions?|"
            r"methods?|modules?|variables?|arguments?|class(es)?|syntax|keywords?|directives?)\b",
            r"\bwelche[rsnm]?\b.{0,20}(befehl|option|parameter|funktion|einstellung)",
            r"\b(quelle|quel|qué|cuál)\b.{0,20}(commande|option|fonction|comando|opción|función)",
        ),
    ),
    (
        Asked.NUMBER,
        _any(
            r"\bhow (many|much|long|far|old|big|large|high|tall|fast|often|deep|wide|heavy)\b",
            r"\bpercent", r"\b(maximum|minimum|max|min|limit|upper bound)\b",
            r"\bwhat (percentage|number|amount|portion|fraction|size|score|age)\b",
            r"\bwie ?(viele?|lange|weit|alt|groß|hoch|schnell|oft|tief|breit|schwer)\b",
            r"\bprozent", r"\bcombien\b", r"\bcuánt[oa]s?\b", r"\bquant[oiae]s?\b", r"\bhoeveel\b",
        ),
    ),
    (
        Asked.DATE,
        _any(
            r"\bwhen\b", r"\b(what|which) (year|date|day|month|decade|century)\b", r"\bwann\b",
            r"\b(welche[mnrs]?|was für ein) (jahr|datum|tag|monat|jahrzehnt|jahrhundert)",
            r"\bquand\b", r"\bcuándo\b", r"\bquando\b", r"\bwanneer\b",
        ),
    ),
    (
        Asked.PERSON,
        _any(
            r"\bwho(m|se)?\b", r"\b(what|which) (person|king|queen|president|author|leader)\b",
            r"\bwe(r|n|m|ssen)\b", r"\bqui\b", r"\bquién(es)?\b", r"\bchi\b", r"\bquem\b",
            r"\bwie is\b",
        ),
    ),
    (
        Asked.PLACE,
        _any(
            r"\bwhere\b",
            r"\b(what|which) (country|city|state|place|region|continent|town|river)\b",
            r"\bwo(hin|her)?\b", r"\bwelche[mnrs]? (land|stadt|staat|ort|region|kontinent|fluss)",
            r"\boù\b", r"\bdónde\b", r"\bdove\b", r"\bonde\b", r"\bwaar\b",
        ),
    ),
    (
        Asked.REASON,
        _any(
            r"\bwhy\b", r"\bwhat (caused|reasons?)\b", r"\b(warum|weshalb|wieso)\b",
            r"\bpourquoi\b",
            r"\bpor qué\b", r"\bperché\b", r"\bwaarom\b",
        ),
    ),
    (
        Asked.METHOD,
        _any(
            r"\bhow (do|does|can|should|would|could|to)\b",
            r"\bwie (kann|können|macht|geht|richte)\b",
            r"\bcomment\b", r"\bcómo\b", r"\bcome (si|posso)\b", r"\bcomo\b", r"\bhoe\b",
        ),
    ),
)  # fmt: skip

_MONTH = (
    r"\b(jan|feb|febr|mar|mär|apr|may|mai|jun|jul|aug|sep|sept|oct|okt|nov|dec|dez)[a-zé]{0,6}\b"
)
_EVIDENCE: dict[Asked, re.Pattern[str]] = {
    Asked.NUMBER: _any(
        r"\d",
        r"\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|"
        r"hundred|thousand|million|billion|dozen|half|third|quarter|once|twice)\b",
        r"\b(zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|hundert|tausend|"
        r"million|milliarde|hälfte|drittel|viertel|einmal|zweimal)",
    ),
    Asked.DATE: _any(
        r"\b1\d{3}s?\b", r"\b20\d\ds?\b", _MONTH, r"\bcentury\b", r"jahrhundert", r"\bsi(è|g)l",
        r"\b\d{3,4}s\b", r"\b\d+ (BC|AD|v\. Chr|n\. Chr)",
    ),
    Asked.REASON: _any(
        r"\b(because|due to|since|as a result|so that|in order to|caused?|led to|to (prevent|avoid|"
        r"reduce|allow)|therefore)\b",
        r"\b(weil|wegen|da|aufgrund|damit|daher|deshalb|um .* zu|infolge)\b",
        r"\b(parce|afin|à cause|porque|debido|perché|omdat)\b",
    ),
    Asked.CODE: re.compile(
        r"--?[a-z]\w+|\w_\w|\w\(|`|\$\w|\w::\w|\b\w+\.\w+\(?|=|\b[A-Z][A-Z_]{2,}\b|/\w+/"
    ),
    Asked.DEFAULT: _any(r"\bdefault", r"\b(vor|standard)(einstellung|wert|mäßig)", r"\bpar défaut",
                        r"\bpor defecto"),
    Asked.METHOD: _any(
        r"^\s*(?:[-*•]|\d+[.)])?\s*(to\b|use|run|call|set|add|create|install|enable|open|type|press|"
        r"pass|specify|define|import|configure|start|click|select|go to|you (can|must|should))\b",
        r"--[a-z]", r"`", r"\bby \w+ing\b", r"\buse (the|a)?\b", r"\byou can\b", r":$",
        r"\b(verwenden|führen|rufen|setzen) sie\b", r"\b(utilisez|exécutez|use|ejecute)\b",
    ),
}  # fmt: skip
SIGNATURE = 0.8  # what a function does is nearly as good as an instruction
_SIGNATURE = re.compile(r"[^\n]*\w\([^\n]*\n")
_CAPITALISED = re.compile(r"(?<![.!?] )(?<!^)\b[^\W\d_a-z][\w’'-]+")
_WORD = re.compile(r"[\w’'-]+")


def asked_for(question: str) -> Asked:
    """The kind of answer a question wants, by its question words."""
    if subject_of(question) is not None:
        return Asked.DEFINITION
    return next((kind for kind, words in _QUESTIONS if words.search(question)), Asked.OTHER)


def offers(kind: Asked, sentence: str, question: str) -> float:
    """How well a sentence offers that kind of thing, 0 to 1; .5 when nothing can be said.

    A number or a name counts only when the question does not hold it already.
    """
    if kind is Asked.DEFINITION:
        return defines(sentence, subject_of(question) or "")
    known = {word.casefold() for word in _WORD.findall(question)}
    if kind in (Asked.PERSON, Asked.PLACE):
        names = {x.casefold() for x in _CAPITALISED.findall(sentence)}
        return min(1.0, len(names - known) / 2)
    pattern = _EVIDENCE.get(kind)
    if pattern is None:
        return 0.5
    if kind in (Asked.NUMBER, Asked.DATE):
        sentence = " ".join(
            x for x in sentence.split() if x.strip(".,;:()").casefold() not in known
        )
    if kind is Asked.METHOD and _SIGNATURE.match(sentence):
        return SIGNATURE
    return 1.0 if pattern.search(sentence) else 0.0
