"""The words of a question that are not searched for."""

import pytest

from app.engine.text.question_frames import without_frame


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("How many eggs?", "eggs?"),
        ("What type of engine is it?", "engine is it?"),
        ("In welchem Jahr fiel Rom?", "In fiel Rom?"),
        ("Welche Art von Stadt ist es?", "Stadt ist es?"),
        ("¿En qué año cayó Roma?", "¿En cayó Roma?"),
        ("В каком году пал Рим?", "В пал Рим?"),
        ("东京有多少人？", "东京有 人？"),
        ("谁发明了电灯？", "发明 电灯？"),
        ("東京はどこですか？", "東京は ？"),
        ("ใครสร้างวัด", "สร้างวัด"),
        ("في أي عام سقطت روما؟", "في سقطت روما؟"),
        ("The art of war", "The art of war"),
    ],
)
def test_words_that_only_say_the_kind_of_answer_are_left_out(question: str, rest: str) -> None:
    assert " ".join(without_frame(question).split()) == rest


def test_question_of_nothing_else_stays() -> None:
    assert without_frame("how many?") == "how many?"
