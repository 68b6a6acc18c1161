"""The words of a question that only say what kind of answer it wants: never in the answer itself.

"How many eggs" asks for eggs: the page says "four", and never "many". Question words of languages
with spaces are function words already (`stopwords`); here are phrases, and the question words of
scripts without spaces, where they would be cut into bigrams with their neighbours.
"""

import re

_PHRASES = (
    # English
    r"\bhow (?:many|much|long|often|old|far|tall|high|deep|wide|heavy|big|large|fast)\b",
    r"\b(?:what|which) (?:year|date|day|month|decade|century)\b",
    r"\b(?:what|which) (?:(?:type|kind|sort|number|percentage|amount)s?)\b(?: of\b)?",
    r"\bwhat (?:is|are|was|were) the names? of\b",
    # German
    r"\bwie ?(?:viele?[nr]?|lange|oft|alt|weit|hoch|groß|tief|breit|schwer|schnell)\b",
    r"\b(?:welche[mnrs]?|was für (?:ein|eine|einem|einer)) "
    r"(?:jahr|datum|monat|jahrzehnt|jahrhundert|art(?:en)?|anzahl)\b(?: von\b)?",
    r"\bwie (?:heiß(?:t|en)|hieß(?:en)?|lautete?n?)\b(?: der name\b)?",
    r"\bwas (?:ist|war) der name\b", r"\bwie nennt man\b",
    # French, Spanish, Italian, Portuguese, Dutch
    r"\bcombien\b", r"\b(?:quel|quelle)s? (?:année|date|siècle|types?|sortes?)\b(?: de\b)?",
    r"\bcomment s['’]appel(?:le|ait)\b", r"\bquel (?:est|était) le nom\b",
    r"\b(?:qué|cuál) (?:año|fecha|siglo|tipos?|clase|porcentaje)\b(?: de\b)?",
    r"\bcuál (?:es|era|fue) el nombre\b", r"\bcómo se llama(?:ba)?n?\b",
    r"\b(?:che|quale) (?:anno|data|secolo|tipo)\b(?: di\b)?", r"\bcome si chiama(?:va)?n?o?\b",
    r"\bque (?:ano|data|século|tipos?|porcentagem)\b(?: de\b)?",
    r"\bqual (?:é|era|foi) o nome\b", r"\bcomo se chama(?:va)?m?\b",
    r"\bwelk jaar\b", r"\bwelke soorte?n?\b", r"\bhoe (?:lang|vaak|oud|groot|hoog|heet(?:te)?)\b",
    # Russian, Turkish, Arabic, Hindi
    r"\bкак\w+ (?:году|веке|тип\w*|вид\w*|количество|процент\w*)\b",
    r"\bкак (?:называ\w+|зовут|звали|часто|долго)\b", r"\bсколько\b",
    r"\b(?:hangi yıl\w*|kaç|ne (?:zaman|kadar)|adı nedir)\b",
    r"\b(?:أي|اي) (?:عام|سنة|تاريخ|نوع)\b", r"\bما (?:هو|هي|هما) اسم\b", r"\bما (?:هو|هي)\b",
    r"किस (?:वर्ष|साल|प्रकार)(?!\w)", r"(?:का|की|के) नाम क्या",
)  # fmt: skip
_UNSPACED = (
    # Chinese
    r"哪一?[年天个種种些位里裡儿]|什么时候|何时|为什么|是什么|是谁|叫什么|什么|多少|如何|怎[么样]|"
    r"[谁几哪](?:个|位)?|"
    r"在哪(?:里|儿)?|[了的吗呢]|"
    # Japanese
    r"どのような|どのように|どこ(?:で(?!す)|に)?|なぜ|どうして|どれ(?:くらい|だけ)|いくつ|いくら|いつ|だれ|誰[がの]?|"
    r"何(?:年|月|人|個|回|歳|と)?[にが]?|どの|(?:でし|まし)た?か|(?:です|ます)か|"
    # Korean
    r"언제|어디(?:에서|에|서)?|누[가구]|무엇(?:을|이|인가)?|어떻게|얼마나?|어[느떤]|몇|인가요?|입니까|습니까|나요|"
    # Thai
    r"อะไร|ใคร|ที่ไหน|ที่ใด|เมื่อ(?:ไหร่|ไร|ใด)|เท่า(?:ไหร่|ไร|ใด)|กี่|ทำไม|อย่างไร|ปีใด|ไหน|บ้าง|หรือไม่"
)
_FRAME = re.compile("|".join((*_PHRASES, _UNSPACED)), re.IGNORECASE)


def without_frame(question: str) -> str:
    """The question with a space for each of those words, or itself when nothing else is in it."""
    rest = _FRAME.sub(" ", question)
    return rest if re.search(r"\w", rest) else question
