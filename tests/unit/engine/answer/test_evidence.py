"""Which passages are read for an answer."""

from app.engine.answer.evidence import Evidence, foremost


def passages(*sources: int) -> list[Evidence]:
    """One of each source, best first; its place is where it starts."""
    return [
        Evidence(source, "text", start, start + 4, score=1.0 - start / 100)
        for start, source in enumerate(sources)
    ]


def read(evidence: list[Evidence]) -> list[int]:
    return [x.start for x in foremost(evidence)]


def test_the_five_best_are_read() -> None:
    assert read(passages(0, 1, 2, 3, 4, 5)) == [0, 1, 2, 3, 4]


def test_the_best_come_first_whatever_the_order_given() -> None:
    assert read(passages(0, 1, 2)[::-1]) == [0, 1, 2]
