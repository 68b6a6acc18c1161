"""When two records tell the same."""

import pytest

from app.engine.judging.sameness import RecordIdentity, address, contained, grams, identity, same
from tests.plans import ADDRESS, NUMBER, TEXT, plan_of

RECORD = plan_of("title", title=TEXT, summary=TEXT, price=NUMBER)
PERSON = plan_of("name", "role", "company", role=TEXT, name=TEXT, company=TEXT)
ROLE = plan_of("role", role=TEXT, name=TEXT, url=ADDRESS)
TEAM = "https://acme.example/team"
OWLS = (
    "Barn owls lay their eggs in May and feed the young for eight weeks, mostly with mice and"
    " voles that they catch at night over meadows and along the edges of fields"
)


def known_as(
    title: str, summary: str = "", url: str = "https://owls.example/barn"
) -> RecordIdentity:
    return identity(RECORD, {"title": title, "summary": summary}, url)


def test_an_address_is_known_without_what_follows_visitors() -> None:
    one = known_as("Barn owls", url="https://owls.example/barn?b=2&utm_source=x&a=1#top")
    assert one.key == known_as("Barn owls", url="https://owls.example/barn?a=1&b=2").key


@pytest.mark.parametrize(
    ("canonical", "named"),
    [
        ("https://owls.example/barn", "https://owls.example/barn"),
        ("https://evil.example/barn", "https://owls.example/p?id=7"),
    ],
)
def test_a_canonical_address_names_a_page_of_the_same_host(canonical: str, named: str) -> None:
    assert address("https://owls.example/p?id=7", canonical) == named


@pytest.mark.parametrize(("other", "one_key"), [("barn owls", True), ("Tawny owls", False)])
def test_records_of_one_page_are_told_apart_by_words_and_not_by_case_or_signs(
    other: str, one_key: bool
) -> None:
    assert (known_as("Barn Owls!").key == known_as(other).key) is one_key


HALF = " ".join(OWLS.split()[:15])
BARLEY = "It grows on fields and is made into bread and beer"


@pytest.mark.parametrize(
    ("title", "other_title", "other_summary", "alike"),
    [
        pytest.param("Barn owls", "Barn owls", OWLS.upper(), True, id="the same words"),
        pytest.param("Barn owls", "Barn owls", HALF, True, id="half of them"),
        pytest.param("Barn owls", "Barn owls | The Copy", OWLS, True, id="the name of the site"),
        pytest.param("Barn owls", "Barley", BARLEY, False, id="other words"),
        pytest.param("Owls in 2023", "Owls in 2024", OWLS, False, id="another number of its name"),
    ],
)
def test_a_record_on_another_page_is_a_copy_or_another_record(
    title: str, other_title: str, other_summary: str, alike: bool
) -> None:
    other = known_as(other_title, other_summary, "https://the-copy.example/1")
    assert same(known_as(title, OWLS), other) is alike


def test_the_same_short_title_on_another_page_is_another_record() -> None:
    other = known_as("Introduction", url="https://manual.example/2")
    assert not same(known_as("Introduction", url="https://manual.example/1"), other)


def test_a_text_of_two_words_has_one_run() -> None:
    assert len(grams("Barn owls")) == 1


def test_nothing_is_contained_in_nothing() -> None:
    assert contained(frozenset(), grams("Barn owls")) == 0.0


def person(name: str, role: str = "Product Manager", url: str = TEAM) -> RecordIdentity:
    return identity(PERSON, {"name": name, "role": role, "company": "Acme"}, url)


def test_two_people_with_the_same_role_and_company_are_two() -> None:
    assert not same(person("Ana Silva"), person("Bruno Silva"))


def test_the_same_person_on_another_page_is_one() -> None:
    assert same(person("Ana Silva"), person("ANA SILVA!", url="https://acme.example/authors"))


def test_a_name_that_is_not_required_tells_records_of_one_page_apart() -> None:
    one, other = ({"name": name, "role": "Product Manager"} for name in ("Ana", "Bruno"))
    assert not same(identity(ROLE, one, TEAM), identity(ROLE, other, TEAM))


def test_another_link_makes_another_record() -> None:
    one, other = ({"role": "Product Manager at Acme", "url": f"{TEAM}/{n}"} for n in (1, 2))
    assert not same(identity(ROLE, one, TEAM), identity(ROLE, other, TEAM))


def test_the_address_of_the_page_itself_makes_no_other_record() -> None:
    here, there = "https://owls.example/barn", "https://copy.example/1"
    one, other = ({"role": OWLS, "url": url} for url in (here, there))
    assert same(identity(ROLE, one, here), identity(ROLE, other, there))


def test_signs_that_belong_to_a_name_make_another_record() -> None:
    assert not same(person("C++"), person("C#"))
