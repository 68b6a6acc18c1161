"""The match of a region's columns to fields: by label, by class, or by what their values are."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from app.engine.extraction.rows.columns import Column
from app.engine.extraction.schema.patterns import compiled
from app.engine.extraction.schema.schema import Field, Plan
from app.engine.extraction.schema.vocabulary import split, words
from app.engine.extraction.text.onetext import HEADINGS

_LEAST = 0.25
_NAMES_IT = 0.6
_BY_LABEL, _BY_NAME, _BY_PLACE = 0.95, 0.85, 0.66
_CURRENCY = re.compile(
    r"[$€£¥₹₽₩₺₴₫฿]|\b(?:[A-Z]{3}|Kč|kr|zł|Fr)\b\.?(?=\s?\d)|\d\s?(?:[A-Z]{3}|Kč|kr|zł|Fr)\b"
)
_NUMBER = re.compile(r"\d")
_DATE = re.compile(
    r"\b\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?\b|\b\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}\b"
    r"|\b\d{1,2}(?:st|nd|rd|th|\.)?(?:\s+\w+)?\s+\w{3,10}\.?,?\s+\d{4}\b"
    r"|\b\w{3,10}\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+\d{4}\b"
)
_VERSION = re.compile(r"(?:[Vv]ersion |[Rr]elease |[Vv]\.? ?)?\d+(?:\.\d+)+[\w.+~-]*")
_VERSION_WORDS = words("version")
_MAIL = re.compile(r"[\w.+-]+@[\w-]+\.\w+")
_BYLINE = re.compile(r"(?:by|von|par|por|di|door)\s+\S", re.IGNORECASE)
_HEADINGS = HEADINGS | {"dt"}
_CALLED = frozenset({"#name"})
_TERM = frozenset({"dt"})
_TIME = frozenset({"time"})
_PROGRAM = frozenset({"pre"})
_LOUD = frozenset({"strong", "b", "a"})
_DATED = frozenset({"#published", "#modified", "#start", "#end", "date"})
_LONG, _SHORT_NUMBER, _LONGEST_NUMBER, _LONGEST_NAME = 40, 40, 60, 200

Answers = dict[str, tuple[float, Column]]
NO_SLOTS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class RecordFields:
    """The fields of a record; `kind` are the words of what it is a record of, `chief` is the
    pointer of the field that says what each is called, `known` are the words of all fields, `title`
    is what the plan is called."""

    fields: tuple[Field, ...]
    kind: frozenset[str]
    chief: str | None
    known: frozenset[str]
    title: str

    @classmethod
    def by(cls, plan: Plan) -> "RecordFields":
        fields = tuple(field for field in plan.every() if not field.items)
        texts = [each for each in fields if each.type == "string" and not each.format]
        named = [each for each in texts if "#name" in each.words]
        named += [each for each in texts if each.required] + texts
        chief = named[0].pointer if named else None
        kind = words(plan.title) if plan.title else frozenset()
        known = frozenset().union(*(field.words for field in fields))
        return cls(fields, kind, chief, known, plan.title)

    @property
    def are_dated(self) -> bool:
        """True if one of the fields asks for a day."""
        return any(map(_is_date, self.fields))

    def named(self, labels: Sequence[str]) -> set[str]:
        """The pointers of the fields that one of the labels names."""
        known = [some for label in labels if not self.known.isdisjoint(some := words(label))]
        return {
            field.pointer
            for field in self.fields
            if any(_likeness(field.words, each) >= _NAMES_IT for each in known)
        }

    def is_kind(self, label: str) -> bool:
        """True if a label is the kind asked for: `Function` of functions that have a name."""
        return bool(self.kind) and words(label) <= self.kind


def assigned(
    wanted: RecordFields, listed: Sequence[Column], slots: Mapping[str, str] = NO_SLOTS
) -> Answers:
    """By pointer the best column of each field, and how well it fits; a column is used once.

    `slots` are by path of a column the field that it answers by its place alone.
    """
    view = _View(wanted, listed, slots)
    scored = sorted(
        (
            (score, view.labelled(field, column), -column.place, field.pointer, column)
            for field in wanted.fields
            for column in listed
            if (score := view.fit(field, column)) >= _LEAST
        ),
        key=lambda each: each[:4],
        reverse=True,
    )
    chosen: Answers = {}
    used: set[str] = set()
    for score, _, _, pointer, column in scored:
        if pointer not in chosen and column.path not in used:
            chosen[pointer] = score, column
            used.add(column.path)
    return chosen


class _View:
    """The columns of one region beside each other."""

    def __init__(
        self, wanted: RecordFields, listed: Sequence[Column], slots: Mapping[str, str]
    ) -> None:
        self._wanted, self._slots = wanted, slots
        chief = (each.words for each in wanted.fields if each.pointer == wanted.chief)
        self._are_numbered = next(chief, _CALLED).isdisjoint(_CALLED)
        self._numeric = {each.path: each.share(_has_number) for each in listed}
        self._labels = {each.path: [words(label) for label in each.labels] for each in listed}
        self._names = {each.path: [words(name) for name in each.names] for each in listed}
        texts = [each for each in listed if not each.attribute]
        self._first_link = next((each for each in listed if each.attribute == "href"), None)
        prose = [each for each in texts if not _marked(each, _PROGRAM)]
        self._longest = max(prose, key=lambda each: each.length, default=None)
        numbers = [each for each in texts if each.share(_is_number) > 0.5]
        self._only_number = numbers[0] if len(numbers) == 1 else None
        self._name, self._name_score = self._called([each for each in texts if self._says(each)])

    def fit(self, field: Field, column: Column) -> float:
        """From 0 to 1 how well a column answers a field."""
        plausible = self._plausible(field, column)
        if plausible < 0.5:
            return 0.0
        if column.path in self._slots:
            known = _BY_PLACE if self._slots[column.path] == field.pointer else 0.0
        else:
            known = max(self._named(field, column), self._guessed(field, column))
        differing = column.distinct if field.pointer == self._wanted.chief else column.varied
        return known * plausible * sqrt(column.present) * (0.5 + 0.5 * differing)

    def _plausible(self, field: Field, column: Column) -> float:
        """The share of values that could be what the field asks for."""
        if field.enum:
            options = [str(option).casefold() for option in field.enum]
            return column.share(lambda value: _mentions(value, options))
        if field.type in ("integer", "number") or field.format in ("date", "date-time"):
            return self._numeric[column.path]
        return 1.0

    def _named(self, field: Field, column: Column) -> float:
        """Rates how surely a label or a class of the column names the field."""
        names = self._names[column.path]
        if column.tail(field.words):
            return _BY_LABEL
        if field.pointer == self._wanted.chief:  # `function_name` is what a function is called
            names = [name - _CALLED or name for name in names]
        by_name = max((_holds(field.words, name) for name in names), default=0.0)
        return max(_BY_LABEL * self.labelled(field, column), _BY_NAME * by_name)

    def labelled(self, field: Field, column: Column) -> float:
        """Rates how much a label of the column is like the name of the field."""
        labels = zip(column.labels, self._labels[column.path], strict=True)
        return max(
            (_likeness(field.words, known) for label, known in labels
             if known == field.words or not self._is_other(label, field)),
            default=0.0,
        )  # fmt: skip

    def _is_other(self, label: str, field: Field) -> bool:
        """True if the last word of a label is what another field is called: a product fee."""
        called = words(" ".join(split(label)[-1:]))
        return called != field.words and any(called == each.words for each in self._wanted.fields)

    def _called(self, texts: Sequence[Column]) -> tuple[Column | None, float]:
        """The column that says what a row is called: a heading, else its first link or text."""
        short = [each for each in texts if each.length <= _LONGEST_NAME]
        for column in short:
            if any(map(self._wanted.is_kind, column.labels)):
                return column, 0.7
        for marks, score in ((_HEADINGS, 0.65), (_LOUD, 0.55)):
            for column in short:
                if _marked(column, marks) and not column.labels:
                    return column, score
        return (short[0], 0.4) if short else (None, 0.0)

    def _says(self, column: Column) -> bool:
        """True if its values are words, or headings that may be numbers, as versions are, and not
        the same in each row."""
        if column.distinct <= 0.3:
            return False
        are_words = column.share(lambda value: any(map(str.isalpha, value))) > 0.5
        return are_words or (self._are_numbered and _marked(column, HEADINGS))

    def _guessed(self, field: Field, column: Column) -> float:
        """Rates how likely a column answers a field by what its values are and where it stands."""
        if field.enum:
            return 0.7
        if field.pattern:
            return 0.7 * column.share(compiled(field.pattern).search)
        if column.attribute:
            return self._address(field, column)
        if field.type in ("integer", "number"):
            return self._number(field, column)
        if _is_date(field):
            return 0.6 * (_marked(column, _TIME) or column.share(_DATE.search))
        return self._text(field, column)

    def _address(self, field: Field, column: Column) -> float:
        if column.attribute in ("src", "data-src"):
            return 0.7 if "#image" in field.words else 0.0
        if column.attribute == "datetime":
            return 0.65 if _is_date(field) else 0.0
        is_link = "#url" in field.words or field.format in ("uri", "url")
        if column.attribute != "href" or not is_link or "#image" in field.words:
            return 0.0
        return 0.65 if column is self._first_link else 0.4

    def _number(self, field: Field, column: Column) -> float:
        if field.currency or field.words & {"#price", "#salary"}:
            return 0.65 * column.share(_CURRENCY.search)
        return 0.45 if column is self._only_number else 0.0

    def _text(self, field: Field, column: Column) -> float:
        wanted = field.words
        if field.format == "email" or "#email" in wanted:
            return 0.7 * column.share(_MAIL.search)
        if "#price" in wanted:
            return 0.65 * column.share(_CURRENCY.search)
        if field.pointer == self._wanted.chief and are_versions(field, column):
            return 0.65  # beside titles such numbers are those of sections
        if wanted & {"#description", "#body"}:
            is_text = column is self._longest and not _marked(column, _TERM)
            return 0.5 if is_text and column.length >= _LONG else 0.0
        if field.pointer == self._wanted.chief and column is self._name:
            return self._name_score * (1.0 if "#name" in wanted else 0.7)
        return 0.6 * column.share(_BYLINE.match) if "#author" in wanted else 0.0


def are_versions(field: Field, column: Column) -> bool:
    """True if a field asks for a version, as which the values are known by themselves."""
    return field.words == _VERSION_WORDS and column.share(_VERSION.fullmatch) > 0.5


def _is_date(field: Field) -> bool:
    return field.format in ("date", "date-time") or bool(field.words & _DATED)


def _likeness(wanted: frozenset[str], known: frozenset[str]) -> float:
    """Rates how much of either name is in the other."""
    shared = len(wanted & known)
    return shared / len(wanted | known) if shared else 0.0


def _holds(wanted: frozenset[str], known: frozenset[str]) -> float:
    """Rates how much a class says the wanted: it may say more, such as where it stands."""
    shared = len(wanted & known)
    return shared / max(len(wanted), 0.6 * len(known) + 0.4) if shared else 0.0


def _has_number(value: str) -> bool:
    return len(value) <= _LONGEST_NUMBER and bool(_NUMBER.search(value))


def _mentions(value: str, options: Sequence[str]) -> bool:
    folded = value.casefold()
    return any(option in folded for option in options)


def _is_number(value: str) -> bool:
    short = len(value) <= _SHORT_NUMBER and bool(_NUMBER.search(value))
    return short and not _CURRENCY.search(value) and not _DATE.search(value)


def _marked(column: Column, marks: frozenset[str]) -> bool:
    element = column.cells[0].element
    parent = element.getparent()
    return element.tag in marks or (parent is not None and parent.tag in marks)
