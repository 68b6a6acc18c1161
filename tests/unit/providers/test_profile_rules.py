"""What a profile may say, to the letter."""

from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.domains.providers.providers import profile_rules

CONTROLS = [*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0))]  # all of category Cc
OVERRIDES = [*map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))]
BLANKS = " \u00a0\u2003\u3000"

# Any text of one line that may be shown: no control, no override, no lone surrogate.
LINES = st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters=OVERRIDES))
WORDS = st.text(st.characters(categories=["L", "N", "P", "S"], exclude_characters="\u2800\u3164"))

NAMES = [(profile_rules.display_name, 80), (profile_rules.public_name, 60)]
TEXTS = [*NAMES, (profile_rules.description, 160)]
Rule = Callable[[object], object]


@pytest.mark.parametrize(("rule", "most"), TEXTS)
def test_length_counts_code_points_after_trimming(rule: Rule, most: int) -> None:
    wide = "\U0001f9ed"  # four bytes, two UTF-16 units, one code point
    assert rule(f"  {wide * most}\u3000") == wide * most
    with pytest.raises(ValueError, match=f"at most {most}"):
        rule(wide * (most + 1))


@pytest.mark.parametrize(("rule", "most"), TEXTS)
@given(text=LINES, word=WORDS.filter(bool))
def test_what_is_kept_is_trimmed_and_nothing_else(
    rule: Rule, most: int, text: str, word: str
) -> None:
    said = text + word
    assume(len(said.strip()) <= most)
    assert rule(said) == said.strip()


@pytest.mark.parametrize(("rule", "most"), TEXTS)
@given(words=WORDS.filter(bool), at=st.integers(0, 40), bad=st.sampled_from(CONTROLS + OVERRIDES))
def test_a_control_character_or_override_is_refused_wherever_it_stands(
    rule: Rule, most: int, words: str, at: int, bad: str
) -> None:
    with pytest.raises(ValueError, match="Control characters"):
        rule(words[:at] + bad + words[at:])


@pytest.mark.parametrize("rule", [rule for rule, _ in NAMES])
@pytest.mark.parametrize(
    "blank", ["", " ", BLANKS, "\u200b\u2060", "\ufeff", "\u3164", "\U000e0041"]
)
def test_a_name_that_cannot_be_seen_is_refused(rule: Rule, blank: str) -> None:
    with pytest.raises(ValueError, match="visible text"):
        rule(blank)


def test_a_description_may_be_empty() -> None:
    assert profile_rules.description("  ") == ""


@pytest.mark.parametrize("word", ["שלום", "مرحبا\u200f", "नमस्ते", "日本語", "👩\u200d💻", "e\u0301"])
def test_names_of_any_script_are_taken(word: str) -> None:
    assert profile_rules.display_name(word) == word


@pytest.mark.parametrize(
    "rule",
    [
        profile_rules.display_name,
        profile_rules.description,
        profile_rules.handle,
        profile_rules.flag,
    ],
)
@pytest.mark.parametrize("value", [None, 1, 1.5, [], {}, ["a"]])
def test_a_value_of_another_type_is_refused(rule: Rule, value: object) -> None:
    with pytest.raises(ValueError, match="Must"):
        rule(value)


@pytest.mark.parametrize("value", ["true", "", 0, 1])
def test_a_flag_is_true_or_false(value: object) -> None:
    with pytest.raises(ValueError, match="true or false"):
        profile_rules.flag(value)


@given(st.from_regex(r"[a-z0-9][a-z0-9-]{2,39}", fullmatch=True))
def test_a_handle_of_the_pattern_is_taken(handle: str) -> None:
    assert profile_rules.handle(handle) == handle


@pytest.mark.parametrize(
    "handle",
    [
        "ab",
        "a" * 41,
        "-abc",
        "Abc",
        "abc\n",
        "a_bc",
        "a.bc",
        "äbc",
        "a\u0661bc",
        "",
    ],
)
def test_a_handle_of_another_form_is_refused(handle: str) -> None:
    with pytest.raises(ValueError, match="3 to 40"):
        profile_rules.handle(handle)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org",
        "https://example.org/",
        "https://Example.org:8443/a/b?c=d#e",
        "HTTPS://example.org",
        "https://r3---sn.example.org/",
        "https://xn--bcher-kva.example/",
        "https://example.org?@",
        "https://example.org/" + "a" * 280,
    ],
)
def test_a_website_is_kept_as_it_was_given(url: str) -> None:
    assert profile_rules.website(url) == url


def test_no_website_is_none() -> None:
    assert profile_rules.website(None) is None


@pytest.mark.parametrize(
    ("given_url", "kept"),
    [
        ("https://bücher.example/ü", "https://xn--bcher-kva.example/ü"),
        ("https://例え.jp:444", "https://xn--r8jz45g.jp:444"),
        ("https://faß.de/", "https://xn--fa-hia.de/"),
    ],
)
def test_the_host_of_a_website_is_kept_in_ascii(given_url: str, kept: str) -> None:
    assert profile_rules.website(given_url) == kept


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.org",
        "//example.org",
        "http://example.org/",
        "javascript:alert(1)//example.org",
        "data:text/html,https://example.org",
        "https:example.org",
        "https:///example.org",
        "https://",
        "https://user@example.org/",
        "https://@example.org/",
        "https://example.org:0/",
        "https://example.org:65536/",
        "https://example.org:/",
        "https://localhost/",
        "https://192.0.2.1/",
        "https://[2001:db8::1]/",
        "https://2130706433/",
        "https://exa mple.org/",
        "https://example.org/\n",
        " https://example.org/",
        "https://example.org/\\",
        "https:\\\\example.org",
        "https://example.org/\u202egnp.exe",
        "https://-example.org/",
        "https://example-.org/",
        "https://exa_mple.org/",
        "https://exa%6dple.org/",
        "https://a..org/",
        "https://xn--a.example/",
        "https://\u2488.example/",
        "https://" + "a" * 64 + ".org/",
        "https://example.org/" + "a" * 281,
        "https://" + "ü" * 60 + "." + "ü" * 60 + ".example/",
    ],
)
def test_a_website_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"^\w.*\.$"):
        profile_rules.website(url)


@given(st.text(max_size=40))
def test_a_website_is_an_https_url_or_a_value_error(text: str) -> None:
    for url in (text, f"https://{text}", f"https://{text}.org/{text}"):
        try:
            kept = profile_rules.website(url)
        except ValueError:
            continue
        assert kept is not None
        assert kept.lower().startswith("https://")
        assert profile_rules.website(kept) == kept
