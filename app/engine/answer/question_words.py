"""How questions are asked in sixteen languages, and how each kind of answer looks: tables only.

English, German, French, Spanish, Italian, Portuguese, Dutch, Russian, Chinese, Japanese, Korean,
Thai, Vietnamese, Hindi, Arabic, Turkish.
"""

import re
from enum import Enum


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
    LIST = "list"
    OTHER = "other"


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


# The first that matches decides.
QUESTIONS: tuple[tuple[Asked, re.Pattern[str]], ...] = (
    (
        Asked.DEFAULT,
        _any(r"\bdefaults?\b", r"\b(vor|standard)(einstellung|wert)", r"\bpar défaut",
             r"\bpor defecto", r"\bpredefinit[oa]\b", r"\bpadrão\b", r"по умолчанию", r"默认"),
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
        Asked.DATE,
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
    (
        Asked.PERSON,
        _any(
            r"\bwho(m|se)?\b", r"\b(what|which) (person|king|queen|president|author|leader)\b",
            r"\bwe(r|n|m|ssen)\b", r"\bqui\b", r"\bquién(es)?\b", r"\bchi\b", r"\bquem\b",
            r"\bwie is\b", r"\b(?:кто|кого|кому|кем|чей)\b", r"谁", r"誰", r"だれ", r"누[가구]",
            r"ใคร", r"(?<!\w)(?:किसने|कौन)(?!\w)", r"\bkim(?:in|dir)?\b", r"^ai\b", r"^من\b",
        ),
    ),
    (
        Asked.PLACE,
        _any(
            r"\bwhere\b",
            r"\b(what|which) (country|city|state|place|region|continent|town|river)\b",
            r"\bwo(hin|her)?\b", r"\bwelche[mnrs]? (land|stadt|staat|ort|region|kontinent|fluss)",
            r"\boù\b", r"\bdónde\b", r"\bdove\b", r"\bonde\b", r"\bwaar\b", r"\b(?:где|куда)\b",
            r"\bкак\w+ (?:стран|город|государств)", r"哪里", r"哪儿", r"哪个(?:国家|城市|地方)",
            r"どこ", r"어디", r"ที่(?:ไหน|ใด)", r"ở đâu", r"कहाँ", r"\bأين\b", r"\bnere(?:de|ye)\b",
        ),
    ),
    (
        Asked.REASON,
        _any(
            r"\bwhy\b", r"\bwhat (caused|reasons?)\b", r"\b(warum|weshalb|wieso)\b",
            r"\bpourquoi\b", r"\bpor ?qu[éê]\b", r"\bperché\b", r"\bwaarom\b",
            r"\b(?:почему|зачем)\b", r"为什么", r"なぜ", r"どうして", r"(?:^|\s)왜", r"ทำไม",
            r"tại sao", r"vì sao", r"क्यों", r"\bلماذا\b", r"\b(?:neden|niçin)\b",
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
    (
        Asked.LIST,
        _any(
            r"\b(what|which) (are|were) (the|some)\b", r"\bname (the|two|three|four|some)\b",
            r"\bwelche .{2,40}\b(gibt es|gab es)\b", r"\bqu(?:els|elles) sont\b",
            r"\b(?:cuáles|quali|quais) (?:son|eran|fueron|sono|são)\b",
        ),
    ),
)  # fmt: skip

_MONTH = (
    r"\b(jan|feb|febr|mar|mär|apr|may|mai|jun|jul|aug|sep|sept|oct|okt|nov|dec|dez)[a-zé]{0,6}\b"
)
EVIDENCE: dict[Asked, re.Pattern[str]] = {
    Asked.NUMBER: _any(
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
    Asked.DATE: _any(
        r"(?<!\d)1\d{3}(?!\d)", r"(?<!\d)20\d\d(?!\d)", _MONTH, r"\bcentury\b", r"jahrhundert",
        r"\bsi(è|g)l", r"\bsecol|\bséculo", r"\b\d{3,4}s\b", r"\b\d+ (BC|AD|v\. Chr|n\. Chr)",
        r"\d\s?[年月日년월일]", r"世纪|世紀|세기",
        r"\b(январ|феврал|март|апрел|ма[яй]|июн|июл|август|"
        r"сентябр|октябр|ноябр|декабр)", r"\bвек", r"ศตวรรษ", r"พ\.ศ\.|ค\.ศ\.",
        r"\bthế kỷ\b|\bnăm \d",
        r"शताब्दी|सदी", r"\bقرن|القرن", r"\byüzyıl",
    ),
    Asked.REASON: _any(
        r"\b(because|due to|since|as a result|so that|in order to|caused?|led to|to (prevent|avoid|"
        r"reduce|allow)|therefore)\b",
        r"\b(weil|wegen|da|aufgrund|damit|daher|deshalb|um .* zu|infolge)\b",
        r"\b(parce|afin|à cause|porque|debido|perché|omdat|doordat|devido)\b",
        r"\b(потому|поскольку|из-за|чтобы|благодаря|так как)\b",
        r"因为|由于|因此|以便|為了|为了|から|ため", r"때문|위해", r"เพราะ|เนื่องจาก|เพื่อ",
        r"\b(bởi vì|do đó|nhằm|vì)\b", r"क्योंकि|कारण|इसलिए", r"\b(لأن|بسبب|لكي|نتيجة)",
        r"\b(çünkü|için|nedeniyle|dolayı)\b",
    ),
    Asked.CODE: re.compile(
        r"--?[a-z]\w+|\w_\w|\w\(|`|\$\w|\w::\w|\b\w+\.\w+\(?|=|\b[A-Z][A-Z_]{2,}\b|/\w+/"
    ),
    Asked.DEFAULT: _any(r"\bdefault", r"\b(vor|standard)(einstellung|wert|mäßig)", r"\bpar défaut",
                        r"\bpor defecto", r"\bpredefinit[oa]\b", r"\bpadrão\b", r"по умолчанию",
                        r"默认"),
    Asked.METHOD: _any(
        r"^\s*(?:[-*•]|\d+[.)])?\s*(to\b|use|run|call|set|add|create|install|enable|open|type|press|"
        r"pass|specify|define|import|configure|start|click|select|go to|you (can|must|should))\b",
        r"--[a-z]", r"`", r"\bby \w+ing\b", r"\buse (the|a)?\b", r"\byou can\b", r":$",
        r"\b(verwenden|führen|rufen|setzen) sie\b", r"\b(utilisez|exécutez|use|ejecute)\b",
    ),
    Asked.LIST: _any(
        r"[,、，،].+[,、，،]?.* (and|or|und|oder|et|y|e|en|и|ve|và|और|و) ?\w", r"[、，].+[和及と]",
        r":\n", r":\s*\S+[,;]",
    ),
}  # fmt: skip
