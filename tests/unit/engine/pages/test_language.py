"""The language of each passage of a page: the page's, unless another is certain."""

import pytest

from app.engine.pages.blocks.canonical import Block, BlockKind, lay_out
from app.engine.pages.facts.language import PassageLanguages, language_of
from app.engine.pages.page import Page
from app.engine.pages.passages import split

ENGLISH = (
    "The timeout is the number of seconds that the server waits for an answer before it closes the"
    " connection. It can be set for each of the sites, and the default is thirty seconds. When it"
    " is zero, the server waits for as long as the client does not go away."
)
PORTUGUESE = (
    "O tempo limite é o número de segundos que o servidor espera por uma resposta antes de fechar a"
    " ligação. Pode ser definido para cada um dos sítios, e o valor por omissão é de trinta"
    " segundos. Quando é zero, o servidor espera enquanto o cliente não se for embora."
)
RUSSIAN = (
    "Время ожидания — это число секунд, в течение которых сервер ждёт ответа, прежде чем закрыть"
    " соединение. Его можно задать для каждого сайта, а по умолчанию оно равно тридцати секундам."
    " Если оно равно нулю, сервер ждёт столько, сколько не уходит клиент."
)
JAPANESE = (
    "サーバーは応答を待ってから接続を閉じます。既定値は三十秒で、サイトごとに設定します。" * 6
)
NAMES = "Quercus robur, Fagus sylvatica, Pinus sylvestris, Abies alba, Betula pendula, Ulmus. " * 5


def test_a_passage_in_another_language_has_that_language() -> None:
    judged = PassageLanguages("en")
    texts = (ENGLISH, PORTUGUESE, RUSSIAN, JAPANESE)
    assert [judged.of(text) for text in texts] == ["en", "pt", "ru", "ja"]


def test_english_on_a_page_in_another_script_is_english() -> None:
    assert [PassageLanguages(code).of(ENGLISH) for code in ("ru", "ja")] == ["en", "en"]


def test_a_short_passage_is_in_the_language_of_its_page() -> None:
    assert PassageLanguages("en").of(PORTUGUESE[:150]) == "en"


def test_a_list_of_names_is_in_the_language_of_its_page() -> None:
    assert PassageLanguages("en").of(NAMES) == "en"


def test_a_page_that_is_unsure_has_passages_that_are_not() -> None:
    assert PassageLanguages(None).of(PORTUGUESE) == "pt"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (
            "周一至周五早上七点至晚上九点开放，周末和节假日上午九点至下午六点开放。"
            "每年八月第一周闭馆检修。成人单次票三十元。",
            "zh",
        ),
        ("Quercus robur, Fagus sylvatica, Pinus sylvestris, Abies alba, 鳥 und Ulmus", None),
    ],
)
def test_a_short_text_in_a_script_of_one_language_is_in_it(text: str, language: str | None) -> None:
    assert language_of(text) == language


def test_after_a_thousand_doubtful_passages_no_more_are_detected() -> None:
    judged = PassageLanguages("en")
    assert [judged.of(NAMES) for _ in range(1_000)] == ["en"] * 1_000
    assert judged.of(PORTUGUESE) == "en"


def test_listings_do_not_tell_a_language() -> None:
    layout = lay_out([
        Block(BlockKind.PARAGRAPH, "Der Dienst liest:"),
        Block(BlockKind.CODE, "\n".join(f"# {line}" for line in ENGLISH.split(". "))),
    ])  # fmt: skip
    page = Page(layout.text, code=layout.code, language="de")
    assert [passage.language for passage in split(page)] == ["de"]


def test_passages_of_a_page_have_languages_of_their_own() -> None:
    layout = lay_out([
        Block(BlockKind.HEADING, "Timeout", 1),
        Block(BlockKind.PARAGRAPH, ENGLISH),
        Block(BlockKind.HEADING, "Tempo limite", 2),
        Block(BlockKind.PARAGRAPH, PORTUGUESE),
    ])  # fmt: skip
    page = Page(layout.text, headings=layout.headings, language="en")
    assert [passage.language for passage in split(page)] == ["en", "pt"]
