"""The likeness in name of the fields of a plan to what a page calls things."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from app.engine.extraction.methods.candidates import FieldCandidate
from app.engine.extraction.schema.measures import without_measure
from app.engine.extraction.schema.schema import Field, Plan
from app.engine.extraction.schema.vocabulary import quoted, split, stem, without_unit, words
from app.engine.pages.blocks.walk import name_set

_ALIAS = 0.96  # another name of the same thing
_BESIDE = 0.6  # the cost of a word that only one of two names has
_DESCRIBED = 0.5  # of a name that the description of no other field says
_FOR_MACHINES = frozenset({"class", "link", "data"})  # whose names have words beside
_LEAST_SCORE = 0.12
_MOST_KEYS = 20_000
# Words of classes that say where on a page something is, or how it looks.
_GENERIC = frozenset().union(
    *map(
        words,
        name_set(
            "item entry post page detail details main content wrapper container block box section "
            "field value label text info data list listing product single col column row inner "
            "left right top bottom wp widget component module view header article node el js ui css"
        ),
    )
)


# Words that name a part of a page in a class, and a property elsewhere.
_LAYOUT = name_set("section content body about method course type post link steps")
# What labels call a duration for short. Without one they mean something else.
_BRIEFLY = {
    "#prep time": (
        "prep", "preparation", "préparation", "vorbereitung", "zubereitung", "arbeitszeit",
        "zubereitungszeit", "preparación", "preparazione", "preparo", "tempo de preparo",
        "tiempo de preparación", "tempo di preparazione", "bereiding", "bereidingstijd",
        "voorbereiding", "voorbereidingstijd", "förberedelser", "forberedelse", "příprava",
        "príprava", "doba přípravy", "przygotowanie", "előkészítés", "active", "hands on",
    ),
    "#cook time": (
        "cook", "cooking", "bake", "baking", "cuisson", "kochen", "backen", "garzeit", "cocción",
        "tiempo de cocción", "cottura", "tempo di cottura", "cozimento", "kooktijd", "oventijd",
        "baktijd", "tillagning", "tillagningstid", "tilberedning", "tilberedningstid", "vaření",
        "pečení", "gotowanie", "pieczenie", "főzés", "sütés",
    ),
    "#total time": (
        "total", "ready in", "time", "ready", "zeit", "dauer", "temps", "tiempo", "tempo", "tijd",
        "totale tijd", "tid", "total tid", "arbejdstid", "czas", "celkem", "doba", "duration",
        "in total", "gesamt", "totale", "czas przygotowania", "idő", "össz. idő",
    ),
}  # fmt: skip


class Names:
    """The likeness in name of the fields of a plan to what pages call things."""

    def __init__(self, plan: Plan) -> None:
        self._context = words(plan.title) if plan.title else frozenset()
        self._fields = list(_named(plan.fields, ""))
        self.count = len(self._fields)
        self._words_of = {field.pointer: frozenset().union(*names) for field, names in self._fields}
        self._spoken = {
            field.pointer: set(map(split, (field.name, _plain(field), field.title)))
            for field, _ in self._fields
        }
        self._literal = {field.pointer: _literal(field.name) for field, _ in self._fields}
        self._all_spoken = frozenset[tuple[str, ...]]().union(*self._spoken.values())
        self._words = frozenset().union(*self._words_of.values())
        self._brief = {
            split(name): field for field, _ in self._fields for name in _brief_names(field)
        }
        self._described = _described([field for field, _ in self._fields], self._context)
        self._known: dict[tuple[str, str], tuple[tuple[Field, float], ...]] = {}

    @property
    def heading(self) -> Field | None:
        """The field that a heading may be though it is called otherwise: a model, or the first
        plain text, where no field is called a name or a title."""
        fields = [field for field, _ in self._fields if field.type == "string"]
        if any(not words("name").isdisjoint(field.words) for field in fields):
            return None
        plain = [field for field in fields if not (field.format or field.enum or field.pattern)]
        models = [field for field in plain if not words("model").isdisjoint(field.words)]
        return next(iter(models or plain), None)

    def alike(self, key: str, kind: str) -> tuple[tuple[Field, float], ...]:
        """The fields that `key` may name, with a likeness from 0 to 1."""
        known = self._known.get((key, kind))
        if known is None:
            if len(self._known) >= _MOST_KEYS:
                self._known.clear()
            known = self._known[key, kind] = tuple(self._compared(key, kind))
        return known

    def ranked(
        self, candidates: Iterable[FieldCandidate], weight: float = 1.0
    ) -> dict[str, list["ScoredCandidate"]]:
        """By pointer of the field, the candidates that may be its value."""
        scored: dict[str, list[ScoredCandidate]] = {}
        for candidate in candidates:
            for field, alike in self.alike(candidate.key, candidate.kind):
                score = weight * candidate.prior * alike
                if score >= _LEAST_SCORE:
                    scored.setdefault(field.pointer, []).append(ScoredCandidate(score, candidate))
        return scored

    def _compared(self, key: str, kind: str) -> Iterable[tuple[Field, float]]:
        compare = likeness
        given = words(key)
        if kind in _FOR_MACHINES:
            compare = _class_likeness
            given = _class_words(key)
        else:
            yield from self._told(given)
            if brief := self._brief.get(split(key)):
                yield brief, _ALIAS
        if given.isdisjoint(self._words):
            return
        some_of = {given, given - self._context}
        for field, names in self._fields:
            if given.isdisjoint(self._words_of[field.pointer]):
                continue
            best = max(compare(name, some) for name in names for some in some_of)
            best = self._as_spoken(field.pointer, key, kind, given, best)
            if best >= 0.3:
                yield field, best

    def _as_spoken(
        self, pointer: str, key: str, kind: str, given: frozenset[str], alike: float
    ) -> float:
        """The likeness of a key to a field: whole for the very words of the field, a little less
        for others of its group, none for a label that is the name of another field."""
        if given == self._literal[pointer]:
            return 1.0
        spoken = split(without_unit(key))
        if alike < 1.0 or spoken in self._spoken[pointer]:
            return alike
        return 0.0 if kind == "name" and spoken in self._all_spoken else _ALIAS

    def _told(self, given: frozenset[str]) -> Iterator[tuple[Field, float]]:
        """The field in whose description the words of a key stand, if its names have none."""
        for field, told in self._described:
            if given and given <= told and given.isdisjoint(self._words_of[field.pointer]):
                yield field, _DESCRIBED


def _literal(name: str) -> frozenset[str]:
    """A name with the group that it stands for: of `stars`, the words of starRating."""
    grouped, own = words(name), {stem(part) for part in split(name)}
    return frozenset() if own <= grouped else grouped | own


@lru_cache(maxsize=64)
def _names_of(canonical: str, plan: Plan) -> Names:
    return Names(plan)


def names_of(plan: Plan) -> Names:
    return _names_of(plan.canonical, plan)


def _named(fields: Sequence[Field], above: str) -> Iterable[tuple[Field, list[frozenset[str]]]]:
    for field in fields:
        names = _names_of_field(field, above)
        if field.type == "object" and field.items:
            yield from _named(field.items.fields, f"{above} {field.name}".strip())
            continue
        if above and "#name" in words(field.name):
            names.append(words(above))  # "brand" alone is the name of the brand
        names += [name for name in map(words, _brief_names(field)) if not _is_group(name)]
        yield field, names


def _described(
    fields: Sequence[Field], beside: frozenset[str]
) -> list[tuple[Field, frozenset[str]]]:
    """The words that the description of just one field says, and no field is called."""
    told = [(field, words(field.description)) for field in fields if field.description]
    often = Counter(word for _, its in told for word in its)
    known = beside.union(words("name"), *(field.words for field in fields))
    return [
        (field, frozenset(word for word in its if often[word] == 1) - known) for field, its in told
    ]


def _brief_names(field: Field) -> Iterator[str]:
    return (name for group in field.words for name in _BRIEFLY.get(group, ()))


def _is_group(name: frozenset[str]) -> bool:
    """True if a name stands for others of its group, which may name another field."""
    return any(word.startswith("#") for word in name)


def _names_of_field(field: Field, above: str = "") -> list[frozenset[str]]:
    spoken = (field.name, _plain(field), field.title, *quoted(field.description))
    return [name for each in spoken if each and (name := words(f"{above} {each}".strip()))]


def _plain(field: Field) -> str:
    return without_measure(field.name) if field.type in ("number", "integer") else field.name


def called(field: Field, key: str) -> float:
    """Rates how much a key is like the name of a field, by itself."""
    return max((likeness(name, words(key)) for name in _names_of_field(field)), default=0.0)


def _class_words(key: str) -> frozenset[str]:
    """The words of a class name, without those that are about layout."""
    whole, parts = words(key), split(key)
    if len(whole) == 1 and len(parts) > 1:
        return whole  # `datePublished`
    return frozenset().union(*(words(part) for part in parts if part not in _LAYOUT))


def likeness(name: frozenset[str], key: frozenset[str]) -> float:
    if name == key:
        return 1.0 if name else 0.0
    shared = len(name & key)
    return 0.95 * shared / (shared + _BESIDE * (len(name | key) - shared)) if shared else 0.0


def _class_likeness(name: frozenset[str], key: frozenset[str]) -> float:
    """Of a class name, which has to hold the whole name of a field."""
    if not name or not name <= key:
        return 0.0
    beside = len(key - name - _GENERIC)
    return 0.85 * len(name) / (len(name) + 0.6 * beside)


@dataclass(frozen=True, slots=True)
class ScoredCandidate:
    """A candidate for a field, with how sure its name and method make it."""

    score: float
    candidate: FieldCandidate
