"""Which questions want what is new."""

from datetime import UTC, datetime

import pytest

from app.engine.answer.confidence.recency import wants_fresh

NOW = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "question",
    [
        "latest nginx release",
        "What is the CURRENT exchange rate?",
        "weather today",
        "up-to-date visa rules",
        "elections 2026",
        "2026年の選挙",
        "Wie ist das aktuelle Wetter?",
        "Was läuft heute im Kino?",
        "les dernières nouvelles de Paris",
        "prix actuel du gaz",
        "noticias de hoy",
        "ultime notizie",
        "preço atual do gás",
        "nieuwste versie van Python",
        "najnowsza wersja jądra",
        "последние новости",
        "текущий курс рубля",
        "最新のニュース",
        "目前的利率",
        "أحدث إصدار",
        "오늘 날씨",
        "bugün hava nasıl",
    ],
)
def test_a_question_that_says_so_wants_what_is_new(question: str) -> None:
    assert wants_fresh(question, NOW)


@pytest.mark.parametrize(
    "question",
    [
        "How many eggs does a barn owl lay?",
        "elections 2019",
        "part number 120264",
        "alternating current in motors",
        "Wer war der letzte Kaiser?",
        "le dernier empereur",
        "currency of Japan",
    ],
)
def test_other_questions_do_not(question: str) -> None:
    assert not wants_fresh(question, NOW)
