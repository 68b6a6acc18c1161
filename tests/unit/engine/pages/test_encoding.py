"""Bytes to text."""

import pytest

from app.engine.pages.formats.encoding import decode
from app.engine.pages.page import PageUnreadable


@pytest.mark.parametrize(
    ("body", "charset", "expected"),
    [
        (b"\xef\xbb\xbfn\xc3\xa4h", "iso-8859-1", "näh"),
        ("näh".encode("utf-16"), None, "näh"),
        (b"n\xe4h", "ISO-8859-1", "näh"),
        (b"\x93q\x94", "iso-8859-1", "“q”"),
        ("привет".encode("koi8-r"), "koi8-r", "привет"),
        ("天气".encode("gb18030"), "GB2312", "天气"),
        ("こんにちは".encode("shift_jis"), '"Shift_JIS"', "こんにちは"),
        ("こんにちは".encode("shift_jis"), "x-sjis", "こんにちは"),
        ("こんにちは".encode("cp932"), "Windows-31J", "こんにちは"),
        ("שלום".encode("iso8859-8"), "ISO-8859-8-I", "שלום"),
        ("näh".encode(), "iso-8859-1", "näh"),
        ("näh".encode(), "no-such-charset", "näh"),
        ("näh".encode(), "utf-7", "näh"),
        (b"rot13", "rot13", "rot13"),
        (b"n\xe4h sch\xf6n gr\xfc\xdfe", None, "näh schön grüße"),
        ("grüße ".encode() * 9 + b"\xff", "utf-8", "grüße " * 9 + "\ufffd"),
    ],
)
def test_bytes_are_decoded(body: bytes, charset: str | None, expected: str) -> None:
    assert decode(body, charset) == expected


@pytest.mark.parametrize(
    "markup",
    ['<meta charset="koi8-r">', "<meta http-equiv=x content='text/html; charset=koi8-r'>",
     '<?xml version="1.0" encoding="koi8-r"?>'],
)  # fmt: skip
def test_the_document_may_name_its_encoding(markup: str) -> None:
    assert decode(markup.encode() + "привет".encode("koi8-r"), None, markup=True) == (
        markup + "привет"
    )


@pytest.mark.parametrize("body", [bytes(range(32)) * 50, b"\x89PNG\r\n\x1a\n" + bytes(500)])
def test_binary_data_is_not_text(body: bytes) -> None:
    with pytest.raises(PageUnreadable, match="not_text"):
        decode(body, "utf-8")


def test_a_few_broken_letters_far_below_the_ascii_of_a_page_do_not_change_its_encoding() -> None:
    style = b"a { color: red }\n" * 15_000
    body = style + "Привет, мир. ".encode() * 20 + b"\xd0 \xd0"
    assert decode(body, "utf-8").count("Привет") == 20


TABLES = {
    "cp1251": "Наименование;Цена\nСтол письменный;12500\nСтул с подлокотниками;3400\n",
    "koi8-r": "Магазин открыт ежедневно с девяти до двадцати часов, кроме воскресенья.",
    "cp866": "Возврат товара возможен в течение четырнадцати дней.",
    "cp932": "商品名,価格\n木製の机,12500\n肘掛け付きの椅子,3400\n卓上ランプ（緑）,1890\n",
    "euc_jp": "五千円以上のご注文は送料無料です。返品は十四日以内に承ります。",
    "gb18030": "名称,价格\n木制书桌,1250\n带扶手的椅子,340\n商品可在十四天内退货。\n",
    "big5": "名稱,價格\n木製書桌,1250\n帶扶手的椅子,340\n商品可在十四天內退貨。\n",
    "cp949": "상품명,가격\n원목 책상,12500\n팔걸이 의자,3400\n초록색 탁상 램프,1890\n",
    "cp1253": "Το κατάστημα είναι ανοιχτό κάθε μέρα από τις εννέα έως τις οκτώ.",
    "cp1255": "החנות פתוחה בכל יום מתשע עד שמונה בערב, חוץ משבת.",
    "cp1256": "المتجر مفتوح كل يوم من التاسعة حتى الثامنة مساء ما عدا يوم الجمعة.",
    "cp874": "ร้านเปิดทุกวันตั้งแต่เก้าโมงถึงสองทุ่ม ยกเว้นวันอาทิตย์",
}


@pytest.mark.parametrize("encoding", TABLES)
def test_another_script_is_known_by_its_letters(encoding: str) -> None:
    body = TABLES[encoding].encode(encoding)
    assert decode(body, None) == TABLES[encoding]
    menu = b"<nav class=top><a href=/en/products?page=1>Products</a></nav>\n<p title=about>"
    assert decode(menu + body, "utf-8", markup=True).endswith(TABLES[encoding])


@pytest.mark.parametrize(
    "text", ["Café crème à l’été", "Größe: übergroß, Maß für Füße", "¿Dónde está el baño? ñ"]
)
def test_letters_with_accents_are_no_other_script(text: str) -> None:
    assert decode(text.encode("cp1252"), None) == text
