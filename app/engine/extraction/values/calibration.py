"""The probability that a reading is right, by a logistic model of what speaks for it.

Its weights are fitted on pages with known records by `python -m bench.extract.calibration --fit`,
which writes `calibration_table.py`; nobody sets one by hand.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import exp, log, log1p
from typing import Any, Final

from app.engine.extraction.schema.formats import ADDRESSES
from app.engine.extraction.schema.schema import Field
from app.engine.extraction.values.calibration_table import SURE, WEIGHTS
from app.engine.extraction.values.compare import value_at

SURE_FROM: Final = 0.9
"""Of the values that are this probable, at least 95 of 100 were right; less probable ones are
`unsure`."""
MOST_UNSURE: Final = 0.89
"""The confidence in a value that is more probable than that by its features, of a group of which
too few values were right, or too few known to be."""
VALUE_FROM: Final = 0.5
"""What is less probable is a candidate, and not returned as a value."""
CANDIDATE_FROM: Final = 0.25
ROWS_FROM: Final = 0.25
"""Rows that are less probable are no records."""
SURE_ROWS_FROM: Final = 0.65
"""No value of rows that are less probable is sure, nor of such a page."""

STATED: Final = frozenset({"json_ld", "microdata", "rdfa", "opengraph"})
MOST: Final = 0.99
SURE_ALONE: Final = "sure alone"
"""The group of values that are sure by their own page, and of which its site says nothing else."""
_LEAST_SCORE, _MOST_SCORE = 0.05, 0.95
_LEAST_SHARE = 0.01
_BEND = 0.6  # a score beyond this says more, or less, than one below
LABELLED: Final = frozenset({"labels", "table"})
NAMED_FROM: Final = 0.5
"""Scores below are of labels that say more than the name of a field: delivery price."""
PROSE: Final = frozenset({"#description", "#body", "#instructions"})
_MARKED = {"(": "form", "/": "link", "=": "widget"}
_GROUPS = (
    "example",
    SURE_ALONE,
    "site",
    "stated, tied",
    "shown, tied",
    "shown, named in part",
    "shown, in a row",
    "shown, number by label",
)
_UNNAMED = {
    "title": "heading",
    "author": "people",
    "description": "lead",
    "image": "picture",
    "category": "trail",
}


def evidence(
    field: Field,
    method: str,
    score: float,
    methods: Collection[str],
    rival: float,
    *,
    single: bool,
    in_row: bool,
    tied: bool = False,
) -> dict[str, float]:
    """The features of a reading: its method, the kind of its field, its score, agreement. What a
    page states has weights of its own, and so has what it shows.

    `methods` are those that read the same value, as `method_of` tells them apart: places that one
    method reads are no second opinion. `rival` is the best score of another value after agreement
    (`score` is before it), `single` says that a list has one item,
    `in_row` that the value is a cell of a row, `tied` that the page names another one the same way.
    Of what the page ties, or a label names in part, the fit has too few values that are probable.
    """
    plain = _logit(score)
    family = "stated" if method in STATED else "shown"
    features = {
        f"{family}, by {method}": 1.0,
        f"{family}, as {_kind(field)}": 1.0,
        f"{family}, score": plain,
        f"{family}, score beyond": max(0.0, plain - _logit(_BEND)),
        f"{family}, two methods": float(len(methods) > 1),
        f"{family}, three methods": float(len(methods) > 2),
        f"{family}, also otherwise": float(len({each in STATED for each in methods}) > 1),
        f"{family}, rival": rival,
        f"{family}, single item": float(single),
        f"{family}, tied": float(tied),
    }
    if family == "shown":
        by_label = method in LABELLED and not in_row
        features |= {
            "shown, named in part": float(by_label and score < NAMED_FROM),
            "shown, number by label": float(by_label and _kind(field) == "number"),
            "shown, in a row": float(in_row),
        }
    return features


def of_site(own: float, usual: float, *, constant: bool) -> dict[str, float]:
    """The features of a value on a site: how probable it is by its own page, how usual a value is
    at its place on the others, from 0 to 1, and whether all of them have this one there."""
    return {
        "own": _logit(own),
        "site": 1.0,
        "usual": usual,
        "constant": float(constant),
        SURE_ALONE: float(own >= SURE_FROM and not constant),
    }


def of_example(rank: float) -> dict[str, float]:
    """The features of a value that stands where an example shows it."""
    return {"example": 1.0, "rank by example": _logit(rank)}


def of_row(values: Sequence[float], fields: int, *, section: bool) -> dict[str, float]:
    """The features of a row as a record of so many fields: how probable its values are, and whether
    it is a heading with the paragraph below it."""
    return {
        "row": 1.0,
        "row, values": log1p(sum(values)),
        "row, share of fields": sum(values) / fields,
        "row, section": float(section),
    }


def of_kind(said: Mapping[str, float], share: float) -> dict[str, float]:
    """The features of rows by where the page says what they are, and how much of it they show."""
    told = {f"row, {where}": known for where, known in said.items()}
    return told | {"row, share of page": log(max(_LEAST_SHARE, share))}


def of_thing(said: Mapping[str, float], *, line: bool) -> dict[str, float]:
    """The features of a page as a record by itself, of which no label gives the name: how it speaks
    of such things, and whether a line says what it is called."""
    told = {f"thing, {where}": known for where, known in said.items()}
    return {"thing": 1.0, "thing, line": float(line)} | told


def probability(features: Mapping[str, float]) -> float:
    """The probability that a value with these features is right, from 0 to `MOST`."""
    logit = sum(WEIGHTS.get(name, 0.0) * value for name, value in features.items())
    return round(min(MOST, 1 / (1 + exp(-logit))), 3)


def group(features: Mapping[str, float]) -> str:
    """The group of values whose share of right ones is known together."""
    for name in _GROUPS:
        if features.get(name):
            return name
    return next((name for name in features if ", as " in name), "")


def confidence(features: Mapping[str, float]) -> float:
    """The probability, at most `MOST_UNSURE` where such values were right too seldom."""
    probable, its = probability(features), group(features)
    if its == SURE_ALONE or probable < SURE_FROM or probable >= SURE.get(its, 1.0):
        return probable
    return MOST_UNSURE


def is_unsure(quoted: Mapping[str, Any]) -> bool:
    """True if a value is no more than probable, by the confidence of its quote."""
    return bool(quoted.get("confidence", 1.0) < SURE_FROM)


def unsure(provenance: Iterable[Mapping[str, Any]], data: object) -> list[str]:
    """The pointers of the unsure values of a record; of a list of values its own. A number in a
    pointer may as well be what a property is called."""
    doubtful = [each["pointer"] for each in provenance if is_unsure(each)]
    above = [pointer.rpartition("/")[0] for pointer in doubtful]
    return list(
        dict.fromkeys(
            holder if isinstance(value_at(data, holder), list) else pointer
            for pointer, holder in zip(doubtful, above, strict=True)
        )
    )


def method_of(method: str, path: str) -> str:
    """The method of a reading; "text" by what of the text it reads."""
    if method == "rdfa":
        return "microdata"
    if method != "text":
        return method
    key = path.partition(":")[2].partition("@")[0]
    return _MARKED.get(key[:1]) or _UNNAMED.get(key, "class")


def _kind(field: Field) -> str:
    if field.item:
        return "list"
    if field.type in ("number", "integer"):
        return "number"
    if field.format in ADDRESSES:
        return "address"
    if not PROSE.isdisjoint(field.words):
        return "prose"
    return "name" if "#name" in field.words else "other"


def _logit(share: float) -> float:
    share = min(_MOST_SCORE, max(_LEAST_SCORE, share))
    return log(share / (1 - share))
