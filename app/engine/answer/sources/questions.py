"""Questions that ask for a figure or a date, in sixteen languages.

English, German, French, Spanish, Italian, Portuguese, Dutch, Russian, Chinese, Japanese, Korean,
Thai, Vietnamese, Hindi, Arabic, Turkish.
"""

import re
from collections.abc import Callable, Sequence

from app.engine.answer.sources.values import DateValue, Figure, dates, figures
from app.engine.search.definition import subject_of

ValueReader = Callable[[str, str | None], Sequence[Figure | DateValue]]
"""Reads the values of a sentence in a language."""


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


# The first that matches decides.
_WANTED: tuple[tuple[ValueReader | None, re.Pattern[str]], ...] = (
    (
        figures,
        _any(r"\bdefaults?\b", r"\b(vor|standard)(einstellung|wert)", r"\bpar défaut",
             r"\bpor defecto", r"\bpredefinit[oa]\b", r"\bpadrão\b", r"по умолчанию", r"默认"),
    ),
    (
        None,  # a name, although the question may say of a number
        _any(
            r"\b(what|which)\b.{0,30}\b(commands?|options?|flags?|settings?|parameters?|functions?|"
            r"methods?|modules?|variables?|arguments?|class(es)?|syntax|keywords?|directives?)\b",
            r"\bwelche[rsnm]?\b.{0,20}(befehl|option|parameter|funktion|einstellung)",
            r"\b(quelle|quel|qué|cuál)\b.{0,20}(commande|option|fonction|comando|opción|función)",
        ),
    ),
    (
        figures,
        _any(
            r"\bhow (many|much|long|far|old|big|large|high|tall|fast|often|deep|wide|heavy)\b",
            r"\bpercent", r"\b(maximum|minimum|max|min|limit|upper bound)\b",
            r"\bwhat (percentage|number|amount|portion|fraction|size|score|age|year old)\b",
            r"\bwie ?(viele?[nr]?|lange|weit|alt|groß|hoch|schnell|oft|tief|breit|schwer)\b",
            r"\bprozent", r"\bcombien\b", r"\bcuánt[oa]s?\b", r"\bquant[oiae]s?\b", r"\bhoeveel\b",
            r"\bсколько\b", r"\bкако\w+ (процент|количеств|числ)", r"多少", r"几[个次人岁]",
            r"[几多][长高大远重]",
            r"何(?:人|個|回|歳|パーセント)", r"いくつ", r"いくら", r"どれ(?:くらい|だけ)",
            r"얼마", r"몇\s?(?:명|개|번|퍼센트)", r"เท่า(?:ไหร่|ไร|ใด)", r"กี่", r"bao (?:nhiêu|lâu)",
            r"कितन[ाेी]", r"\bكم\b", r"\bkaç\b", r"yüzde kaç",
        ),
    ),
    (
        dates,
        _any(
            r"\bwhen\b", r"\b(what|which) (year|date|day|month|decade|century)\b", r"\bwann\b",
            r"\b(welche[mnrs]?|was für ein) (jahr|datum|tag|monat|jahrzehnt|jahrhundert)",
            r"\bquand\b", r"\bcuándo\b", r"\bquando\b", r"\bwanneer\b", r"\bquelle année\b",
            r"\bqué (?:año|fecha|día|siglo)\b", r"\b(?:che|quale|que) an[no]o\b", r"\bwelk jaar\b",
            r"\bкогда\b", r"\bкаком (?:году|веке|месяце)\b", r"哪一?[年天]", r"什么时候", r"何时",
            r"何[年月]", r"いつ", r"언제", r"몇\s?년", r"เมื่อ(?:ไหร่|ไร|ใด)", r"ปี(?:ใด|ไหน|อะไร)",
            r"khi nào", r"năm nào", r"(?<!\w)कब(?!\w)", r"किस (?:वर्ष|साल|तारीख)",
            r"\bمتى\b", r"أي (?:عام|سنة|تاريخ)", r"\bne zaman\b", r"\bhangi yıl",
        ),
    ),
)  # fmt: skip


def value_reader(question: str) -> ValueReader | None:
    """The reader of what a question asks for; None if that is neither a figure nor a date."""
    if subject_of(question) is not None:
        return None
    return next((read for read, words in _WANTED if words.search(question)), None)
