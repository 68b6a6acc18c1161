"""The bound from which values are sure."""

from app.engine.extraction.records.readings import FieldReading
from bench.extract.calibration import are_right
from bench.extract.calibration_cases import Case

READING = FieldReading("oak", 0.95, "table", "table:name")


def cases(pages: str, sites: int, right: float) -> list[Case]:
    return [
        Case(pages, f"{pages} {site}", "name", READING, float(at >= 10 * (1 - right)))
        for site in range(sites)
        for at in range(10)
    ]


def test_many_sites_without_a_wrong_value_vouch_for_them() -> None:
    assert are_right(cases("made, alone", 20, 1.0), 0.05)


def test_easy_sites_do_not_carry_others() -> None:
    assert not are_right([*cases("made, alone", 60, 1.0), *cases("found, alone", 3, 0.9)], 0.05)
