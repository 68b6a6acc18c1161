"""Numbers of a text as values: grouped digits, decimals, words of scale, numbers in words.

What a separator means depends on the language: 1.234 is more than a thousand in German and a little
more than one in English, and writers do not always keep to it. So a number may have two readings,
the likelier one first; two numbers agree when any of their readings do.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from app.engine.text.scripts import primary_language


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Languages that write 1.234,5 for what English writes 1,234.5.
_DECIMAL_COMMA: Final = _set(
    "bg ca cs da de el es et eu fi fr hr hu id is it lt lv nb nl nn no pl pt ro ru sk sl sr sv tr "
    "uk vi"
)


def _counted(words: str, first: int) -> dict[str, int]:
    return {word: first + i for i, word in enumerate(words.split())}


# From two on: "one" is more often an article or a pronoun than a number.
_SPELLED: Final[dict[str, dict[str, int]]] = {
    "en": {
        **_counted("two three four five six seven eight nine ten eleven twelve thirteen", 2),
        **_counted("fourteen fifteen sixteen seventeen eighteen nineteen twenty", 14),
        "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
        "ninety": 90,
    },
    "de": {
        **_counted("zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn", 2),
        "zwanzig": 20, "dreißig": 30, "vierzig": 40, "fünfzig": 50, "hundert": 100,
    },
    "fr": {
        **_counted("deux trois quatre cinq six sept huit neuf dix onze douze treize", 2),
        "vingt": 20, "trente": 30, "quarante": 40, "cinquante": 50, "cent": 100,
    },
    "es": {
        **_counted("dos tres cuatro cinco seis siete ocho nueve diez once doce trece", 2),
        "veinte": 20, "treinta": 30, "cuarenta": 40, "cincuenta": 50, "cien": 100,
    },
    "it": {**_counted("due tre quattro cinque sei sette otto nove dieci undici dodici", 2)},
    "pt": {**_counted("dois três quatro cinco seis sete oito nove dez onze doze", 2), "duas": 2},
    "nl": {**_counted("twee drie vier vijf zes zeven acht negen tien elf twaalf", 2)},
}  # fmt: skip

_SCALES: Final = {
    2: "hundred",
    3: "k thousand thousands tausend mille mil duizend tysiąc тысяч тысячи 千",
    6: "million millions mio millionen millón millones milione milioni milhão milhões miljoen "
    "миллион миллиона миллионов mln 百万",
    9: "billion billions bn milliarde milliarden mrd milliard milliards miliardo miliardi miljard "
    "миллиард миллиарда миллиардов bilhão bilhões",
    12: "trillion trillions billionen billones",
    4: "万 萬 만",
    5: "lakh lakhs",
    7: "crore crores",
    8: "億 亿 억",
}
_POWERS: Final = {word: power for power, words in _SCALES.items() for word in words.split()}
# "Billion" is a thousand times more in these.
_LONG_SCALE: Final = _set("de es fr nl da sv nb no fi pl it")

FRACTIONS: Final = {
    "½": Decimal("0.5"), "¼": Decimal("0.25"), "¾": Decimal("0.75"), "⅓": Decimal("0.333"),
    "⅔": Decimal("0.667"), "⅛": Decimal("0.125"), "⅜": Decimal("0.375"), "⅝": Decimal("0.625"),
    "⅞": Decimal("0.875"),
}  # fmt: skip
_SPACES: Final = " \u00a0\u2009\u202f"
_SPACE: Final = re.compile(f"[{_SPACES}]")
DIGITS: Final = r"\d+(?:[.,'’]\d+)*"
_NUMBER: Final = re.compile(
    rf"(?<![\w.,])(?<!\d[eE][-−+])(?!0[xX])(?P<sign>[-−+])?"
    rf"(?:(?P<spaced>\d{{1,3}}(?:[{_SPACES}]\d{{3}})+(?:[.,]\d+)?(?![\d.,]\d))|"
    rf"(?P<digits>{DIGITS})|(?=[{''.join(FRACTIONS)}]))"
    rf"(?:[{_SPACES}]?(?P<fraction>[{''.join(FRACTIONS)}]))?"
    r"(?![\d_]|[.,]\d|[eE][+-]?\d)"
)
_SCALE: Final = re.compile(rf"[{_SPACES}-]?(?P<word>[^\W\d_]+)")
_NO_SCALE: Final = frozenset({"K"})  # 4K, 300 K
_LONE: Final = re.compile(r"\d+([.,])\d+")
_WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?")
_COMMAS: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?!\d)")
_LONGEST: Final = 40
_GROUPS: Final = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")
_LAKHS: Final = re.compile(r"[1-9]\d?(?:,\d{2})+,\d{3}(?:\.\d+)?")
_PRESUMED: Final = Decimal("0.1")
"""Zeros at the end may be rounding or not: they are presumed to hide no more than this share."""


@dataclass(frozen=True, slots=True)
class NumberValue:
    """One reading. `place` is the worth of the last digit, `round_place` of the last but zeros."""

    value: Decimal
    place: Decimal
    round_place: Decimal

    def agrees(self, other: "NumberValue") -> bool:
        """True if one is the other, rounded to its own precision."""
        difference = abs(self.value - other.value)
        if 2 * difference <= max(self.place, other.place):
            return True
        hidden = _PRESUMED * max(abs(self.value), abs(other.value))
        return difference <= hidden and 2 * difference <= max(self.round_place, other.round_place)

    def plus(self, fraction: Decimal) -> "NumberValue":
        place = Decimal(1).scaleb(int(fraction.as_tuple().exponent))
        return NumberValue(self.value + fraction, place, place)

    def times(self, power: int) -> "NumberValue":
        return NumberValue(*(x.scaleb(power) for x in (self.value, self.place, self.round_place)))


@dataclass(frozen=True, slots=True)
class Number:
    """text[start:end], with its scale ("1.2 million"); `values` is empty for `3.11.2`."""

    start: int
    end: int
    written: str
    values: tuple[NumberValue, ...]

    @property
    def decimals(self) -> tuple[Decimal, ...]:
        """The values that it may have, the likeliest first."""
        return tuple(reading.value for reading in self.values)

    def agrees(self, other: "Number") -> bool:
        """True if both may mean the same; what has no value has to be written alike."""
        if not self.values or not other.values:
            return self.written == other.written
        return any(a.agrees(b) for a in self.values for b in other.values)

    def equals(self, other: "Number") -> bool:
        """As `agrees`, without rounding."""
        if not self.values or not other.values:
            return self.written == other.written
        return any(a.value == b.value for a in self.values for b in other.values)


def numbers(text: str, language: str | None = None) -> list[Number]:
    """All numbers of a text in order; those in words as the language, or English, has them."""
    found = [*in_digits(text, language), *in_words(text, language)]
    return sorted(found, key=lambda number: number.start)


def in_digits(text: str, language: str | None = None) -> Iterator[Number]:
    """Numbers that stand alone, with signs, fractions and words of scale; not what is in `B12`."""
    plain, code = text.replace("٫", ".").replace("٬", ","), primary_language(language)
    return (_number(plain, match, code) for match in _NUMBER.finditer(plain))


def in_words(text: str, language: str | None = None) -> Iterator[Number]:
    """Numbers from two on that are written in words, "twenty-five" as one."""
    code = primary_language(language)
    known = _SPELLED.get(code or "en", {})
    for word in _WORD.finditer(text):
        parts = [known.get(part, 0) for part in word[0].casefold().split("-")]
        if not all(parts) or not _are_tens_and_ones(parts):
            continue
        values = (NumberValue(Decimal(sum(parts)), Decimal(1), Decimal(1)),)
        yield _scaled(text, Number(word.start(), word.end(), word[0], values), code)


def _are_tens_and_ones(parts: list[int]) -> bool:
    """True for `twenty-five`; not for `two-three`, nor for the eighty of `quatre-vingt`."""
    return len(parts) == 1 or (parts[0] % 10 == 0 and parts[1] < 10)


def value(digits: str, language: str | None = None) -> Decimal | None:
    """The likeliest value of digits with separators; None for `3.11.2` and `1.2,3.4`."""
    return next(iter(readings(digits, language)), None)


def readings(digits: str, language: str | None = None) -> tuple[Decimal, ...]:
    """All values that digits with separators may have, the likeliest first."""
    return tuple(Decimal(plain) for plain in _plain(digits, primary_language(language)))


def power(word: str, language: str | None = None) -> int | None:
    name = word.casefold()
    if name == "billion" and primary_language(language) in _LONG_SCALE:
        return 12
    return _POWERS.get(name)


def ungrouped(chunk: str) -> str:
    """`1,033` as 1033, as an index has it, which knows of no language that it would not be."""
    return _COMMAS.sub(lambda number: number[0].replace(",", ""), chunk)


def _number(text: str, match: re.Match[str], code: str) -> Number:
    digits = _SPACE.sub("", match["spaced"] or match["digits"] or "0")
    values = tuple(_value(plain) for plain in _plain(digits, code))
    if match["spaced"] and _LONE.fullmatch(digits):  # spaces part the groups
        values = (min(values, key=lambda reading: reading.value),)
    if match["fraction"]:
        values = tuple(value.plus(FRACTIONS[match["fraction"]]) for value in values)
    if match["sign"] in ("-", "−"):
        values = tuple(replace(value, value=-value.value) for value in values)
    return _scaled(text, Number(*match.span(), match[0], values), code)


def _scaled(text: str, number: Number, code: str) -> Number:
    scale = _SCALE.match(text, number.end)
    ten_to = power(scale["word"], code) if scale else None
    if scale is None or ten_to is None or scale["word"] in _NO_SCALE:
        return number
    values = tuple(value.times(ten_to) for value in number.values)
    return Number(number.start, scale.end(), text[number.start : scale.end()], values)


def _value(plain: str) -> NumberValue:
    whole, _, decimals = plain.partition(".")
    place = Decimal(1).scaleb(-len(decimals))
    zeros = 0 if decimals else len(whole) - len(whole.rstrip("0"))
    return NumberValue(Decimal(plain), place, place.scaleb(zeros))


def _plain(digits: str, code: str) -> Iterator[str]:
    """The readings of digits without groups and with a point, the likelier one first."""
    digits = digits.replace("'", "").replace("’", "")
    if len(digits) > _LONGEST:
        return
    if _LAKHS.fullmatch(digits):
        digits = digits.replace(",", "")
    signs = re.findall(r"[.,]", digits)
    parts = re.split(r"[.,]", digits)
    if len(signs) > 1:
        yield from _with_signs(parts, signs)
        return
    readings = [".".join(parts)]
    if _GROUPS.fullmatch(digits):
        grouping = "." if code in _DECIMAL_COMMA else ","
        readings.insert(0 if signs == [grouping] else 1, "".join(parts))
    yield from readings


def _with_signs(parts: list[str], signs: list[str]) -> Iterator[str]:
    """Of several separators all but a last, different one have to part groups of three."""
    whole, decimals = (parts[:-1], parts[-1:]) if signs[-1] != signs[0] else (parts, [])
    same = len(set(signs[: len(whole) - 1])) == 1
    if same and len(whole[0]) <= 3 and whole[0] != "0" and all(len(x) == 3 for x in whole[1:]):
        yield ".".join(["".join(whole), *decimals])
    elif len(whole) == 1:
        yield ".".join([*whole, *decimals])
