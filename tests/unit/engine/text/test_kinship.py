"""Which words speak for which, and how far."""

import pytest

from app.engine.text.kinship import PART, ROOT, SPELLING, Kin


@pytest.mark.parametrize(
    ("asked", "found", "share"),
    [
        ("defensiv", "defensively", ROOT),
        ("schmalspurbahn", "bahn", PART),
        ("bahn", "schmalspurbahn", PART),
        ("welt", "weltkrieg", 0.0),
        ("universitatsbibliothek", "universitat", PART),
        ("wiederherzustell", "wiederhergestellt", SPELLING),
        ("muhammad", "muhammed", ROOT),
        ("port", "report", 0.0),
        ("art", "heimatart", 0.0),
        ("warschau", "worms", 0.0),
        ("1901", "19012", 0.0),
        ("max_connections", "connections", 0.0),
        ("东京", "东京都", 0.0),
        ("กร", "กรุง", 0.0),
    ],
)
def test_share_of_weight_a_word_earns_for_another(asked: str, found: str, share: float) -> None:
    assert dict(Kin([asked]).shares(found)).get(asked, 0.0) == share


@pytest.mark.parametrize(
    "found", ["bahn", "schmalspur", "eisenbahn", "bahnhof", "victor", "victorias", "x", "1850"]
)
def test_kin_of_a_query_are_those_of_its_terms(found: str) -> None:
    terms = ("schmalspurbahn", "bahn", "victoria")
    each = [share for x in terms for share in Kin([x]).shares(found)]
    assert list(Kin(terms).shares(found)) == each


def test_no_terms_have_no_kin() -> None:
    assert Kin(()).shares("anything") == ()
