"""What a search is answered from."""

from tests.unit.workers.searches import made


def test_evidence_is_a_slice_of_its_snapshot() -> None:
    kept = made.snapshot()
    (evidence,) = made.candidates(kept).evidence()
    assert evidence.snapshot[evidence.start : evidence.end] == made.TEXT


def test_evidence_names_its_source_by_the_place_of_its_snapshot() -> None:
    found = made.candidates(made.snapshot())
    other = made.snapshot("https://other.example.org/")
    found.snapshots.clear()
    place = found.located[1]
    kept = made.snapshot()
    found.snapshots.update({other.id: other, place.snapshot_id: kept})
    assert [evidence.source for evidence in found.evidence()] == [1]
