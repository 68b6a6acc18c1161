"""Units of measurement: their spellings, what they measure, and how they convert."""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final


@dataclass(frozen=True, slots=True)
class Unit:
    """One is `factor` of the dimension's base unit, above whose zero a temperature has `offset`."""

    symbol: str
    dimension: str
    factor: Decimal
    offset: Decimal = Decimal(0)


# dimension: symbol, factor, other spellings (in lower case unless the case decides).
_TABLE: Final[dict[str, tuple[tuple[str, str, str], ...]]] = {
    "time": (
        ("ms", "0.001", "millisecond milliseconds msec millisekunden"),
        ("s", "1", "sec secs second seconds sekunde sekunden seconde secondes segundo segundos "
                   "secondo secondi"),
        ("min", "60", "mins minute minutes minuten minuto minutos minuti minuut minuta minuty "
                      "minut мин 分钟 分"),
        ("h", "3600", "hr hrs hour hours std stunde stunden heure heures hora horas ora ore uur "
                      "uren godzina godziny timme timmar ч 小时 時間"),
        ("d", "86400", "day days tag tage tagen jour jours día días dia dias giorno giorni dag "
                       "dagen dagar dzień dni"),
        ("week", "604800", "weeks woche wochen semaine semaines semana semanas settimana "
                           "settimane weken vecka"),
    ),
    "mass": (
        ("mg", "0.000001", "milligram milligrams milligramm"),
        ("g", "0.001", "gr gram grams gramm gramme grammes gramo gramos grammo grammi"),
        ("kg", "1", "kgs kilo kilos kilogram kilograms kilogramm kilogramme kilogrammes"),
        ("t", "1000", "tonne tonnes tonnen"),
        ("oz", "0.028349523125", "ounce ounces"),
        ("lb", "0.45359237", "lbs pound pounds"),
        ("st", "6.35029318", "stone"),
    ),
    "length": (
        ("mm", "0.001", "millimeter millimeters millimetre millimetres millimètres"),
        ("cm", "0.01", "centimeter centimeters centimetre centimetres zentimeter"),
        ("m", "1", "meter meters metre metres mètre mètres metro metros metri"),
        ("km", "1000", "kilometer kilometers kilometre kilometres kilomètres kilómetros"),
        ("in", "0.0254", 'inch inches zoll " ″'),
        ("ft", "0.3048", "foot feet ′"),
        ("yd", "0.9144", "yard yards"),
        ("mi", "1609.344", "mile miles"),
    ),
    "area": (
        ("cm²", "0.0001", "cm2"),
        ("m²", "1", "m2 sqm qm quadratmeter sqmetres sqmeters"),
        ("km²", "1000000", "km2 sqkm sqkilometres sqkilometers quadratkilometer"),
        ("ha", "10000", "hectare hectares hektar"),
        ("ft²", "0.09290304", "ft2 sqft sqfeet"),
        ("acre", "4046.8564224", "acres"),
    ),
    "volume": (
        ("ml", "0.001", "mL milliliter milliliters millilitre millilitres"),
        ("cl", "0.01", "cL centiliter centilitre"),
        ("dl", "0.1", "dL deciliter decilitre"),
        ("l", "1", "L liter liters litre litres litro litros litri"),
        ("m³", "1000", "m3"),
        ("tsp", "0.00492892159375", "teaspoon teaspoons"),
        ("tbsp", "0.01478676478125", "tablespoon tablespoons"),
        ("cup", "0.2365882365", "cups"),
        ("pt", "0.473176473", "pint pints"),
        ("qt", "0.946352946", "quart quarts"),
        ("gal", "3.785411784", "gallon gallons"),
    ),
    "speed": (
        ("m/s", "1", "mps"),
        ("km/h", "0.2777777777777777777777777778", "kmh kph"),
        ("mph", "0.44704", ""),
        ("kn", "0.5144444444444444444444444444", "knot knots"),
    ),
    "energy": (
        ("J", "1", "joule joules"),
        ("kJ", "1000", "kj kilojoule kilojoules"),
        ("kcal", "4184", "kilocalorie kilocalories"),
        ("Wh", "3600", "wh"),
        ("kWh", "3600000", "kwh"),
    ),
    "power": (
        ("W", "1", "watt watts"),
        ("kW", "1000", "kw kilowatt kilowatts"),
        ("hp", "745.69987158227022", "bhp horsepower"),
        ("PS", "735.49875", ""),
    ),
    "data": (
        ("B", "1", "byte bytes octets"),
        ("kB", "1000", "KB kb kilobyte kilobytes"),
        ("MB", "1000000", "mb megabyte megabytes"),
        ("GB", "1000000000", "gb gigabyte gigabytes"),
        ("TB", "1000000000000", "tb terabyte terabytes"),
        ("KiB", "1024", "kib"),
        ("MiB", "1048576", "mib"),
        ("GiB", "1073741824", "gib"),
        ("TiB", "1099511627776", "tib"),
    ),
    "pressure": (
        ("Pa", "1", "pascal"),
        ("hPa", "100", "hpa mbar"),
        ("kPa", "1000", "kpa"),
        ("bar", "100000", ""),
        ("psi", "6894.757293168", ""),
    ),
    "frequency": (
        ("Hz", "1", "hz hertz"),
        ("kHz", "1000", "khz kilohertz"),
        ("MHz", "1000000", "mhz megahertz"),
        ("GHz", "1000000000", "ghz gigahertz"),
    ),
    "charge": (("mAh", "0.001", "mah"), ("Ah", "1", "ah")),
    "voltage": (("mV", "0.001", "mv"), ("V", "1", "volt volts"), ("kV", "1000", "kv")),
    "image": (("px", "1", "pixel pixels"), ("MP", "1000000", "megapixel megapixels")),
    "share": (("%", "1", "percent per-cent pct prozent procent pourcent percentage"),),
}  # fmt: skip
_TEMPERATURES: Final = {
    Unit("°C", "temperature", Decimal(1), Decimal("273.15")): "celsius ℃ °c",
    Unit(
        "°F", "temperature", Decimal(5) / Decimal(9), Decimal("459.67") * 5 / 9
    ): "fahrenheit ℉ °f",
    Unit("K", "temperature", Decimal(1)): "kelvin",
}
# What is counted without being converted.
_COUNTED: Final = {
    "USD": "$ usd dollar dollars", "EUR": "€ eur euro euros",
    "GBP": "£ gbp pound pounds pfund", "JPY": "¥ jpy yen",
    "month": "month months monat monate monaten mois mes meses",
    "year": "year years yr yrs jahr jahre jahren an ans année années año años anni jaar",
    "bit": "bit bits", "t": "ton tons", "°": "° degree degrees grad",
}  # fmt: skip
_SYMBOLS: Final = {word: symbol for symbol, words in _COUNTED.items() for word in words.split()}
_NO_UNITS: Final = frozenset({"in", "st", "In", "ST"})  # 5 in 1990, 21st
MONEY: Final = frozenset({"USD", "EUR", "GBP", "JPY"})


def _spellings() -> dict[str, Unit]:
    units = dict(_TEMPERATURES)
    for dimension, rows in _TABLE.items():
        units |= {Unit(symbol, dimension, Decimal(to)): words for symbol, to, words in rows}
    return {word: unit for unit, words in units.items() for word in (unit.symbol, *words.split())}


_UNITS: Final = _spellings()
_SQUARE: Final = re.compile(r"^sq(?:uare|\.)? ", re.IGNORECASE)
WORD: Final = r"(?P<unit>(?:(?i:sq(?:uare|\.)?) )?[^\W\d_]+[²³23]?(?:/[^\W\d_]+)?|[%°″′\"][CF]?)"
"""A unit behind a number."""


def unit(word: str) -> Unit | None:
    """The unit a word or symbol names; the case counts only where two units differ in it."""
    if " " in word:
        word = _SQUARE.sub("sq", word)
    return _UNITS.get(word) or _UNITS.get(word.casefold())


def symbol(word: str) -> str | None:
    """The thing that a word of running text counts: money, time, or whatever has a unit."""
    known = None if word in _NO_UNITS else unit(word)
    return _SYMBOLS.get(word.casefold()) or (known.symbol if known else None)


def convert(number: Decimal, given: Unit, wanted: Unit) -> Decimal | None:
    """A number of one unit in another; None when they measure different things."""
    if given.dimension != wanted.dimension:
        return None
    if given == wanted:
        return number
    base = number * given.factor + given.offset
    return (base - wanted.offset) / wanted.factor
