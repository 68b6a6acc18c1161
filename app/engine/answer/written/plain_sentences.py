"""The plain sentences a model may say, without markers, links, markup and orders."""

import re
import unicodedata
from collections.abc import Iterator

from app.engine.answer.quotes.folded_text import plain
from app.engine.pages.sentences import sentences

MAX_SENTENCE = 600  # code points
MAX_TEXT = 3000  # of one `text` of the model's
MAX_SEARCH = 200

# "[3]", "[1, 2]", "[[4]]", "【1】", "[source 2]": numbers of ours are only ever set by us.
_MARKER = re.compile(
    r"\s?[\[【［〔]{1,3}\s?(?:(?:source|passage|quelle|ref|cite)s?:?\s?)?\^?\d{1,3}"
    r"(?:\s?[,;–†-]\s?\^?\d{1,3}){0,9}[^\[\]【】]{0,20}?\s?[\]】］〕]{1,3}",
    re.IGNORECASE,
)
_MARKER_LEFT = re.compile(r"[\[【［〔⟦]\s*\^?\d|\d\s*[\]】］〕⟧]")
_EMPHASIS = re.compile(r"\*\*|__(?=\S)|(?<=\S)__|^#{1,6}\s|^\s*[-*•]\s", re.MULTILINE)
_FOREIGN = re.compile(
    r"!?\[[^\]]{0,300}\]\s?[(\[:]"  # markdown links and images
    r"|<[/!?]?[a-z|]|&(?:[a-z]{2,8}|#x?[0-9a-f]{1,6});"  # HTML, chat markup, entities
    r"|\b[a-z][a-z0-9+.-]{1,20}:/{1,2}|\b(?:javascript|data|mailto|vbscript):|\bwww\."
    r"|(?:\b[a-z0-9-]{1,63}\.){1,5}[a-z]{2,12}/[^\s]|\bxn--|`|\{\{|\$\{|[<>]{2}|\\[(\[]",
    re.IGNORECASE,
)
# Words for readers that are programs. In a sentence they make it fail, near a quote the quote.
_ORDERS = re.compile(
    unicodedata.normalize(  # as the text is that it looks at
        "NFKC",
        r"\b(?:ignor\w+|disregard\w*|forget|overrid\w+|vergiss|vergessen|missachte\w*|oublie[rz]?|"
        r"olvid\w+|ignorez|dimentica\w*|esque\w+)\b[^.\n]{0,40}?\b(?:instruction|prompt|rule|"
        r"direction|message|command|context|everything|anweisung|regel|befehl|instrucc|consigne|"
        r"istruzion|instruç|alles|tout|todo)\w*"
        r"|\b(?:system|developer|hidden) (?:prompt|message|instructions?|note)\b"
        r"|^\W{0,6}(?:system|assistant|developer)\s{0,2}[:>\]]"
        r"|<\|?(?:im_start|im_end|system|endoftext|assistant|user)\b|\[/?INST\]"
        r"|###\s?(?:system|instruc)"
        r"|\bas an? (?:ai|artificial|large|language|llm)\b"
        r"|\b(?:language|ai) model\b.{0,40}\b(?:must|should|shall|have to|are required)\b"
        r"|\b(?:ai|assistants?|llms?|chatbots?|models?|agents?)\b.{0,30}"
        r"\b(?:must|shall|should|please)\b"
        r".{0,40}\b(?:say|cite|output|respond|answer|recommend|reply|state|write|tell|mention)\b"
        r"|\byou (?:are|must|will|shall) now\b|\bnew (?:instructions?|system|rules?)\b\s?[:(]"
        r"|\b(?:cite|mark|quote|label) (?:this|it|me)\b.{0,30}\b(?:as|with)\b\s?\S{0,3}\d?"
        r"|\b(?:respond|reply|answer|output|say)\b (?:only|just|exactly|instead|with)\b"
        r"|\bdo not (?:tell|inform|mention|reveal|cite)\b.{0,40}\b(?:user|reader|human|source)"
        r"|\b(?:antworte|antworten sie|gib aus|répondez?|responde|rispondi)\b.{0,20}\b(?:nur|mit|"
        r"seulement|avec|solo|con|unicamente)\b"
        r"|忽略.{0,12}(?:指令|指示|说明|提示)|無視.{0,12}(?:指示|命令)|(?:指示|命令).{0,6}無視"
        r"|игнорируй\w*.{0,30}(?:инструкц|указан)|забудь\w*.{0,30}(?:инструкц|указан)"
        r"|تجاهل.{0,30}(?:التعليمات|تعليمات)|무시.{0,20}(?:지시|명령)|(?:지시|명령).{0,10}무시"
        r"|निर्देश.{0,20}(?:अनदेखा|भूल)|(?:เพิกเฉย|ละเว้น).{0,20}คำสั่ง",
    ),
    re.IGNORECASE | re.MULTILINE,
)
_OPERATORS = re.compile(r"[\"“”„«»]|(?:^|(?<=\s))-+(?=\S)")
_OPENINGS = "\"'“‘„«‹(¿¡「『$€£¥@#-−+"
_NEAR = 300  # code points around a quote, inside its paragraph
_TAGS = range(0xE0000, 0xE0080)  # invisible letters that spell out ASCII


def statements(text: str, language: str | None) -> Iterator[str]:
    """The sentences a model's text consists of, cleaned, one by one; what fails is left out.

    Each has to stand on its own: a true one must not carry another one along.
    """
    if len(text) > MAX_TEXT:
        return
    clean = _clean(text)
    if _FOREIGN.search(clean):
        return
    for start, end in sentences(clean, language):
        sentence = clean[start:end]
        if _is_plain(sentence):
            yield sentence


def as_search(text: str) -> str:
    """Returns the model's search as words only; empty when it is fit for no search.

    Signs with a meaning of their own in a query (quotes, a hyphen before a word) go: whoever asked
    may restrict a search, a model may not. Links, markup and orders are searched for by nobody.
    """
    clean = " ".join(_OPERATORS.sub(" ", _clean(text[: 2 * MAX_SEARCH])).split())
    fit = len(clean) <= MAX_SEARCH and any(x.isalpha() for x in clean)
    return clean if fit and not (_FOREIGN.search(clean) or _ORDERS.search(_folded(clean))) else ""


def orders_near(snapshot: str, start: int, end: int) -> bool:
    """True if a quote stands in or beside text that gives orders to programs.

    Looked at are the lines it touches, their neighbours, and invisible letters in them.
    """
    first = snapshot.rfind("\n\n", max(0, start - _NEAR), start)
    last = snapshot.find("\n\n", end, end + _NEAR)
    low = first if first >= 0 else max(0, start - _NEAR)
    high = last if last >= 0 else min(len(snapshot), end + _NEAR)
    near = snapshot[low:high]
    smuggled = "".join(chr(ord(x) - 0xE0000) for x in near if ord(x) in _TAGS)
    return bool(_ORDERS.search(_folded(near)) or smuggled)


def _clean(text: str) -> str:
    """One line without markers, emphasis, or what is invisible."""
    clean = unicodedata.normalize("NFC", plain(text))
    clean = _EMPHASIS.sub("", _MARKER.sub("", clean))
    return " ".join(clean.split())


def _is_plain(sentence: str) -> bool:
    begins = sentence[0].isalnum() or sentence[0] in _OPENINGS
    if not begins or len(sentence) > MAX_SENTENCE or not any(x.isalpha() for x in sentence):
        return False
    return not (_MARKER_LEFT.search(sentence) or _ORDERS.search(_folded(sentence)))


def _folded(text: str) -> str:
    """As the patterns expect it: compatibility forms plain, nothing invisible in between."""
    return plain(unicodedata.normalize("NFKC", text))
