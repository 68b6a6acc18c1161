"""The lower bound by which values are shown as sure."""

from app.engine.extraction.records.readings import FieldReading
from bench.extract.calibration import correlation, lower_bound
from bench.extract.calibration_cases import Case


def cases(*sites: list[float]) -> list[Case]:
    reading = FieldReading("oak", 0.9, "labels", "labels:tree@p")
    return [
        Case("trees", str(site), "tree", reading, right)
        for site, its in enumerate(sites)
        for right in its
    ]


def test_values_of_many_sites_say_more_than_as_many_of_one() -> None:
    many, few = cases(*[[1.0]] * 40), cases([1.0] * 20, [1.0] * 20)
    assert lower_bound(many, 0.2) > 0.95 > lower_bound(few, 0.2)


def test_wrong_values_lower_the_bound() -> None:
    assert lower_bound(cases(*[[1.0]] * 38, [0.0], [0.0]), 0.2) < 0.95


def test_values_of_a_site_that_are_wrong_together_are_alike() -> None:
    together = cases([0.0] * 4, *[[1.0] * 4] * 6)
    apart = cases(*[[0.0, 1.0, 1.0, 1.0]] * 4, *[[1.0] * 4] * 3)
    assert correlation(together) > 0.9
    assert correlation(apart) < 0.1
