"""What counts as borne out by a quote, and how surely."""

import pytest

from app.engine.answer.support.support import Judge, Support, SupportQuote
from app.engine.search.interface import IndexStats

STATS = IndexStats(1000, 60.0, {})

EGGS = "A clutch holds four to seven eggs, which hatch after 30 days."
PORT = "The port is 5432 and the timeout is 30."
WON = "Alice beat Bob in 1990."
BERLIN = "Berlin ist die Hauptstadt Deutschlands und liegt an der Spree."
TOKYO = "東京は日本の首都である。人口は多い。"


def support(
    claim: str, page: str, quote: str = "", language: str = "en", around: str = ""
) -> Support:
    quote = quote or page
    start = page.index(quote)
    quoted = SupportQuote(page, start, start + len(quote), language, around)
    return Judge(language, STATS).support(claim, [quoted])


@pytest.mark.parametrize(
    ("claim", "page", "language"),
    [
        (EGGS, EGGS, "en"),
        ("The clutch holds four to seven eggs, which hatch after 30 days.", EGGS, "en"),
        (WON, WON, "en"),
        ("Berlin ist Hauptstadt Deutschlands und liegt an der Spree.", BERLIN, "de"),
        ("東京は日本の首都である。", TOKYO, "ja"),
    ],
)
def test_a_whole_sentence_of_the_page_is_verified(claim: str, page: str, language: str) -> None:
    assert support(claim, page, language=language) == "verified"


@pytest.mark.parametrize(
    ("claim", "page", "quote"),
    [
        ("A barn clutch has four to seven eggs.", EGGS, ""),
        ("Bob beat Alice in 1990.", WON, ""),
        ("It opened after 1990.", "It opened before 1990.", ""),
        ("It is open.", "It was open.", ""),
        ("Owls are blind.", "Owls are blind?", ""),
        ("Owls are blind.", "Owls are blind in daylight.", ""),
        ("Owls are blind.", "There is a claim, owls are blind.", "owls are blind"),
        ("You may restart the server.", "You may restart the server, unless it is full.", ""),
        ("You may restart it.", "You may restart it, unless it is full.", "You may restart it"),
        ("The timeout is 30.", PORT, ""),
        ("A clutch holds four to seven eggs.", EGGS, ""),
        ("The dam broke.", "The dam broke, the hoaxers wrote.", ""),
        ("Mars was settled in 2090.", "In the novel, Mars was settled in 2090.", ""),
        ("The town would have flooded.", "Had it broken, the town would have flooded.", ""),
        ("Coffee is free.", "Tea or coffee is free.", ""),
        ("The C compiler is here.", "The C++ compiler is here.", ""),
    ],
)
def test_the_same_words_otherwise_put_or_qualified_are_not_verified(
    claim: str, page: str, quote: str
) -> None:
    assert support(claim, page, quote) == "lexical"


@pytest.mark.parametrize(
    ("claim", "page", "quote"),
    [
        ("A clutch holds five eggs.", EGGS, ""),
        ("A clutch holds four to seven eggs, says evil.example.", EGGS, ""),
        ("The moon is made of green cheese.", EGGS, ""),
        ("Carol Smith beat Bob in 1990.", WON, ""),
        ("A clutch does not hold four to seven eggs.", EGGS, ""),
        ("The timeout is 5432.", PORT, ""),
        ("Ruth counted 112 pairs.", "Hale counted 112 pairs, and Ruth counted 95 pairs.", ""),
        ("Ruth counted pairs in Kent.", "Hale counted pairs in Kent; Ruth slept.", ""),
        ("Owls build nests.", "Owls don't build nests.", ""),
        ("The limit is x < 5 here.", "The limit is x > 5 here.", ""),
        ("Then a = b holds.", "Then a != b holds.", ""),
        ("X is safe.", "It is not true that X is safe.", "X is safe"),
        ("Owls do not lay eggs.", "Owls do not build nests, and they lay eggs.", ""),
        ("The limit is 5 degrees.", "The limit is -5 degrees.", ""),
    ],
)
def test_what_the_quote_does_not_say_is_unsupported(claim: str, page: str, quote: str) -> None:
    assert support(claim, page, quote) == "unsupported"


@pytest.mark.parametrize(
    ("claim", "page", "language"),
    [
        ("Berlin ist nicht die Hauptstadt Deutschlands.", BERLIN, "de"),
        ("Anna Wolf plante die Mauer.", "Karl Busch plante die Mauer, Anna Wolf baute.", "de"),
        ("Die Katze fängt Mäuse.", "Die Katze fängt keine Mäuse.", "de"),
        ("Le musée a ouvert.", "Le musée n'a jamais ouvert.", "fr"),
        ("Башня построена.", "Башня не построена.", "ru"),
        ("東京は日本の首都でない。", TOKYO, "ja"),
        ("灯塔对外开放。", "灯塔不对外开放。", "zh"),
    ],
)
def test_no_for_yes_and_one_for_another_are_unsupported_in_other_languages(
    claim: str, page: str, language: str
) -> None:
    assert support(claim, page, language=language) == "unsupported"


def test_denying_one_thing_does_not_deny_another() -> None:
    page = "Owls do not build nests, and they lay white eggs."
    assert support("Owls lay white eggs.", page) == "lexical"


def test_not_only_is_no_denial() -> None:
    assert support("Owls eat mice.", "Owls not only eat mice but also voles.") == "lexical"


def test_a_name_may_come_from_above_the_quote() -> None:
    page = "He moved to Berlin in 1914."
    claim = "Albert Einstein moved to Berlin in 1914."
    assert support(claim, page, around="Albert Einstein") == "lexical"


def test_a_name_from_above_does_not_stand_in_for_another_one() -> None:
    page = "Max Planck moved to Berlin in 1914."
    claim = "In 1914 Albert Einstein moved to Berlin."
    assert support(claim, page, around="Albert Einstein") == "unsupported"


def test_without_a_quote_nothing_is_supported() -> None:
    assert Judge("en", STATS).support(WON, []) == "unsupported"


def test_a_quote_without_words_is_read_where_nouns_have_capitals() -> None:
    assert support("1990, 1994 und 1998 gebaut.", "1990, 1994, 1998", language="de") == "lexical"


def test_two_quotes_together_bear_out_one_sentence() -> None:
    page = "The port is 5432. The timeout is 30."
    quotes = [SupportQuote(page, 0, 17, "en", ""), SupportQuote(page, 18, 36, "en", "")]
    judge = Judge("en", STATS)
    assert judge.support("The port is 5432 and the timeout is 30.", quotes) == "lexical"
    assert judge.support("The port is 5432 and the timeout is 30.", quotes[:1]) == "unsupported"
