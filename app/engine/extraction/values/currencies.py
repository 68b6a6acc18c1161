"""Signs and codes of currencies in a text, and which currency of ISO 4217 each of them names."""

import re
from typing import Final
from urllib.parse import urlsplit

from app.engine.extraction.schema.measures import is_currency
from app.engine.extraction.values.typed import Context
from app.engine.text.scripts import primary_language

_NAMES: Final = {
    "€": "EUR", "euro": "EUR", "euros": "EUR", "eur": "EUR", "£": "GBP", "₹": "INR", "₽": "RUB",
    "руб": "RUB", "руб.": "RUB", "₴": "UAH", "грн": "UAH", "грн.": "UAH", "₺": "TRY", "₩": "KRW",
    "원": "KRW", "₫": "VND", "đ": "VND", "₪": "ILS", "฿": "THB", "₱": "PHP", "₦": "NGN",
    "₸": "KZT", "₡": "CRC", "₲": "PYG", "₾": "GEL", "₼": "AZN", "৳": "BDT", "zł": "PLN",
    "zl": "PLN", "kč": "CZK", "円": "JPY", "元": "CNY", "лв": "BGN", "лв.": "BGN", "ft": "HUF",
    "rm": "MYR", "fr.": "CHF", "sfr.": "CHF", "lei": "RON", "rp": "IDR", "r$": "BRL",
    "us$": "USD", "au$": "AUD", "a$": "AUD", "ca$": "CAD", "c$": "CAD", "nz$": "NZD",
    "hk$": "HKD", "s$": "SGD", "nt$": "TWD", "mx$": "MXN", "cn¥": "CNY",
}  # fmt: skip
# Signs of several currencies, told apart by the top-level domain or the region of the language.
_SHARED: Final = {
    "$": {
        "us": "USD", "au": "AUD", "ca": "CAD", "nz": "NZD", "sg": "SGD", "hk": "HKD",
        "mx": "MXN", "ar": "ARS", "cl": "CLP", "co": "COP", "tw": "TWD",
    },
    "kr": {"se": "SEK", "sv": "SEK", "dk": "DKK", "da": "DKK", "no": "NOK", "nb": "NOK",
           "nn": "NOK", "is": "ISK"},
    "¥": {"jp": "JPY", "ja": "JPY", "cn": "CNY", "zh": "CNY"},
    "rs": {"in": "INR", "hi": "INR", "pk": "PKR", "lk": "LKR", "np": "NPR"},
}  # fmt: skip
_SAME: Final = {"￥": "¥", "kr.": "kr", "rs.": "rs", "₨": "rs"}
# Codes that are words more often than currencies.
_NO_CODE: Final = frozenset({"ALL", "TOP", "CUP"})
_THREE_DECIMALS: Final = frozenset({"BHD", "JOD", "KWD", "LYD", "OMR", "TND"})

_PLAIN: Final = """
    $U A$ AR$ AU$ BN$ BZ$ Bds$ C$ CA$ CHF CL$ CN¥ CO$ CUC$ CV$ DKK Dinara EUR GH₵ HK$ J$ Kč LB£
    MOP$ MX$ N$ NT$ NZ$ R$ RD$ Rp S$ SY£ TT$ US$ WS$ Z$ Zł lei zł грн грн. дин. динар лв лв. ман.
    руб руб. тңг тңг. դր դր. تومان جنيه درهم ريال नेरू টকা $ £ ¥ đ ֏ ؋ ރ ৲ ৳ ૱ ௹ ฿ ៛ ₠ ₡ ₢ ₣ ₤ ₦ ₧
    ₨ ₩ ₪ ₫ € ₭ ₮ ₯ ₰ ₱ ₲ ₳ ₴ ₶ ₷ ₸ ₹ ₺ ₼ ₽ ₾ ₿ ℳ 元 円 원 ﷼ ￥
    """
# Each with the mark that ends it.
_MARKED: Final = """
    ج.م. د.أ. د.إ. د.ب. د.ت. د.ج. د.ع. د.ك. د.ل. د.م. ر.س. ر.ع. ر.ق. ر.ي. ل.س. ل.ل.
    """
_SIGNS: Final = sorted(
    [*_PLAIN.split(), *(f"{sign}\u200f" for sign in _MARKED.split())], key=len, reverse=True
)
_WORDS: Final = r"euros?|kr\.?|Kr\.?|SEK|Ft|Fr\.|SFr\.|Rs\.?|RM|zl|lei|Lei|[A-Z]{3}"
SIGN: Final = re.compile(
    rf"(?P<sign>{'|'.join(map(re.escape, _SIGNS))})|"
    rf"(?<![^\W\d_])(?P<word>(?:{_WORDS})(?![^\W\d_])|(?i:eur|euros?)(?![^\W\d_]))"
)


def signs(text: str) -> list[re.Match[str]]:
    """Finds the currencies in a text."""
    return [match for match in SIGN.finditer(text) if _is_one(match[0])]


def iso(sign: str, context: Context) -> str | None:
    """The ISO code of a sign or code; None for a shared sign that nothing on the page decides."""
    if sign.isupper() and len(sign) == 3 and is_currency(sign):
        return sign
    name = _SAME.get(sign.casefold(), sign.casefold())
    if name in _SHARED:
        return _by_region(_SHARED[name], context)
    return _NAMES.get(name)


def codes_of(sign: str) -> frozenset[str]:
    """The currencies that a sign or code may name: of a shared sign all of them."""
    if sign.isupper() and len(sign) == 3 and is_currency(sign):
        return frozenset({sign})
    name = _SAME.get(sign.casefold(), sign.casefold())
    if name in _SHARED:
        return frozenset(_SHARED[name].values())
    return frozenset({_NAMES.get(name, name)})


def has_three_decimals(code: str | None) -> bool:
    return code in _THREE_DECIMALS


def _is_one(sign: str) -> bool:
    is_code = len(sign) == 3 and sign.isascii() and sign.isalpha() and sign.isupper()
    return not is_code or (is_currency(sign) and sign not in _NO_CODE)


def _by_region(codes: dict[str, str], context: Context) -> str | None:
    try:
        host = urlsplit(context.url).hostname or ""
    except ValueError:
        host = ""
    language = (context.language or "").replace("_", "-")
    region = language.rsplit("-", 1)[-1].lower() if "-" in language else ""
    places = (host.rsplit(".", 1)[-1], region, primary_language(language))
    return next((codes[place] for place in places if place in codes), None)
