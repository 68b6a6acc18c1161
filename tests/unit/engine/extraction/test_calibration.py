"""Probabilities of readings: what speaks for a value raises them, and doubtful values are named."""

from collections.abc import Mapping

import pytest

from app.engine.extraction.records.extract import extract
from app.engine.extraction.records.readings import FieldReading, probable
from app.engine.extraction.schema.schema import plan
from app.engine.extraction.values import calibration

TEXT = {"type": "string"}
PLAN = plan(
    {"type": "object", "properties": {"publisher": TEXT, "tags": {"type": "array", "items": TEXT}}}
)
FIELD = next(PLAN.every())


def evidence(
    method: str = "labels",
    score: float = 0.7,
    methods: tuple[str, ...] = ("labels",),
    rival: float = 0.0,
) -> Mapping[str, float]:
    return calibration.evidence(FIELD, method, score, methods, rival, single=False, in_row=False)


PLAIN = calibration.probability(evidence())


@pytest.mark.parametrize(
    ("features", "raises"),
    [
        (evidence(score=0.9), True),
        (evidence(methods=("labels", "class")), True),
        (evidence(rival=1.0), False),
        (evidence(score=0.3), False),
    ],
)
def test_score_and_agreement_speak_for_a_value_and_another_value_against_it(
    features: Mapping[str, float], raises: bool
) -> None:
    assert (calibration.probability(features) > PLAIN) is raises


def test_no_value_is_certain() -> None:
    everything = evidence("json_ld", 1.0, ("json_ld", "labels", "table"))
    assert calibration.probability({**everything, "own": 50.0}) == calibration.MOST


def test_a_value_of_a_group_that_is_right_too_seldom_is_unsure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(calibration, "SURE", {})
    probable = {**evidence(), "shown, score": 9.0}
    assert calibration.probability(probable) >= calibration.SURE_FROM
    assert calibration.confidence(probable) == calibration.MOST_UNSURE


def test_a_value_that_is_sure_by_its_page_stays_sure_on_its_site() -> None:
    features = calibration.of_site(calibration.SURE_FROM, 0.5, constant=False)
    assert calibration.confidence(features) >= calibration.SURE_FROM


def test_a_value_that_all_pages_of_a_site_have_is_not_sure() -> None:
    features = calibration.of_site(0.95, 0.5, constant=True)
    assert calibration.confidence(features) < calibration.SURE_FROM


def test_another_value_gets_no_more_than_the_best_one_leaves() -> None:
    best, other = (FieldReading(name, 0.8, "labels", name) for name in ("Alder", "Birch"))
    found = probable([best, other], [None, None])
    assert [each.confidence for each in found] == [0.8, 0.2]


def test_the_same_value_of_another_method_is_as_probable_as_it_is() -> None:
    best, again = (FieldReading("Alder", 0.8, "labels", path) for path in ("a", "b"))
    assert [each.confidence for each in probable([best, again], [None, None])] == [0.8, 0.8]


def test_the_page_has_one_probability_for_a_list_and_its_items() -> None:
    body = "<h3>Tags</h3><ul><li>red</li><li>blue</li></ul>"
    record = extract(f"<body>{body}</body>", "https://site.test/", PLAN).records[0]
    assert {each.confidence for each in record.provenance} == {record.confidence}


def test_unsure_values_are_named_and_a_list_by_its_own_pointer() -> None:
    quotes = [
        {"pointer": "/name", "confidence": calibration.SURE_FROM},
        {"pointer": "/price", "confidence": 0.7},
        {"pointer": "/tags/0", "confidence": 0.6},
        {"pointer": "/tags/1", "confidence": 0.6},
    ]
    data = {"name": "Oak", "price": 5, "tags": ["red", "blue"]}
    assert calibration.unsure(quotes, data) == ["/price", "/tags"]


def test_a_number_in_a_pointer_may_be_the_name_of_a_property() -> None:
    quotes = [{"pointer": pointer, "confidence": 0.6} for pointer in ("/2023", "/sales/2024")]
    data = {"2023": 5, "sales": {"2024": 6}}
    assert calibration.unsure(quotes, data) == ["/2023", "/sales/2024"]
