"""The ways to ask for figures and dates in sixteen languages, and their forms: tables only.

English, German, French, Spanish, Italian, Portuguese, Dutch, Russian, Chinese, Japanese, Korean,
Thai, Vietnamese, Hindi, Arabic, Turkish.
"""

import re
from enum import Enum

from app.engine.text.months import months


class AnswerKind(Enum):
    """The kind of thing a question wants."""

    NUMBER = "number"
    DATE = "date"
    CODE = "code"
    DEFAULT = "default"
    DEFINITION = "definition"
    OTHER = "other"


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


# The first that matches decides.
QUESTIONS: tuple[tuple[AnswerKind, re.Pattern[str]], ...] = (
    (
        AnswerKind.DEFAULT,
        _any(r"\bdefaults?\b", r"\b(vor|standard)(einstellung|wert)", r"\bpar défaut",
             r"\bpor defecto", r"\bpredefinit[oa]\b", r"\bpadrão\b", r"по умолчанию", r"默认"),
    ),
    (
        AnswerKind.CODE,
        _any(
            r"\b(what|which)\b.{0,30}\b(commands?|options?|flags?|settings?|parameters?|functions?|"
            r"methods?|modules?|variables?|arguments?|class(es)?|syntax|keywords?|directives?)\b",
            r"\bwelche[rsnm]?\b.{0,20}(befehl|option|parameter|funktion|einstellung)",
            r"\b(quelle|quel|qué|cuál)\b.{0,20}(commande|option|fonction|comando|opción|función)",
        ),
    ),
    (
        AnswerKind.NUMBER,
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
        AnswerKind.DATE,
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

_MONTH = rf"\b(?:{'|'.join(months())})\b"
EVIDENCE: dict[AnswerKind, re.Pattern[str]] = {
    AnswerKind.NUMBER: _any(
        r"\d",
        r"\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|"
        r"hundred|thousand|million|billion|dozen|half|third|quarter|once|twice)\b",
        r"\b(zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|hundert|tausend|"
        r"million|milliarde|hälfte|drittel|viertel|einmal|zweimal)",
        r"\b(deux|trois|quatre|cinq|sept|huit|neuf|dix|cent|mille|moitié|tiers|"
        r"dos|tres|cuatro|cinco|siete|ocho|nueve|diez|cien|mil|millones|mitad|"
        r"due|tre|quattro|cinque|sette|otto|nove|dieci|cento|metà|"
        r"dois|duas|três|quatro|sete|oito|dez|metade|twee|drie|vijf|zes|zeven|tien|helft)\b",
        r"\b(два|две|три|четыр|пят|шест|сем|восем|девят|десят|сто|тысяч|миллион|половин|трет)",
        r"[一二两三四五六七八九十百千万億亿]+\s?[个次人年位名种座所倍米个月分つ個回歳]",
        r"(दो|तीन|चार|पांच|पाँच|सात|आठ|दस|सौ|हजार|लाख)(?!\w)",
        r"(สอง|สาม|สี่|ห้า|หก|เจ็ด|แปด|เก้า|สิบ|ร้อย|พัน|ล้าน)",
        r"\b(hai|ba|bốn|năm|sáu|bảy|tám|chín|mười|trăm|nghìn|triệu)\b",
        r"\b(iki|üç|dört|beş|altı|yedi|sekiz|dokuz|yüz|bin|milyon|yarı)",
        r"\b(اثن|ثلاث|أربع|خمس|ست|سبع|ثماني|تسع|عشر|مئة|مائة|ألف|مليون|نصف|ثلث)",
    ),
    AnswerKind.DATE: _any(
        r"(?<!\d)1\d{3}(?!\d)", r"(?<!\d)20\d\d(?!\d)", _MONTH, r"\bcentury\b", r"jahrhundert",
        r"\bsi(è|g)l", r"\bsecol|\bséculo", r"\b\d{3,4}s\b", r"\b\d+ (BC|AD|v\. Chr|n\. Chr)",
        r"\d\s?[年月日년월일]", r"世纪|世紀|세기",
        r"\b(январ|феврал|март|апрел|ма[яй]|июн|июл|август|"
        r"сентябр|октябр|ноябр|декабр)", r"\bвек", r"ศตวรรษ", r"พ\.ศ\.|ค\.ศ\.",
        r"\bthế kỷ\b|\bnăm \d",
        r"शताब्दी|सदी", r"\bقرن|القرن", r"\byüzyıl",
    ),
    AnswerKind.DEFAULT: _any(
        r"\bdefault", r"\b(vor|standard)(einstellung|wert|mäßig)", r"\bpar défaut",
        r"\bpor defecto", r"\bpredefinit[oa]\b", r"\bpadrão\b", r"по умолчанию", r"默认",
    ),
}  # fmt: skip
