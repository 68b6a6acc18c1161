"""Near texts have near fingerprints."""

from app.engine.text.simhash import INDEPENDENT_BITS, NEAR_DUPLICATE_BITS, distance, simhash

WORDS = [f"w{i * i % 997}" for i in range(400)]


def test_a_word_changed_in_a_long_text_stays_a_near_duplicate() -> None:
    assert distance(simhash(WORDS), simhash([*WORDS[:200], "other", *WORDS[201:]])) <= (
        NEAR_DUPLICATE_BITS
    )


def test_other_texts_are_independent() -> None:
    others = [f"v{i * 7 % 991}" for i in range(400)]
    assert distance(simhash(WORDS), simhash(others)) > INDEPENDENT_BITS


def test_the_order_of_words_counts() -> None:
    assert distance(simhash(WORDS), simhash(sorted(WORDS))) > INDEPENDENT_BITS


def test_no_terms_have_the_fingerprint_zero() -> None:
    assert simhash([]) == 0
