"""What is written to terminals and to files."""

import io
import re

from app.local.terminal import Terminal


class Person(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_file_gets_no_colours() -> None:
    assert Terminal(io.StringIO(), {}).paint("fail", "red") == "fail"


def test_a_person_gets_colours() -> None:
    assert Terminal(Person(), {}).paint("fail", "red") == "\033[31mfail\033[0m"


def test_a_person_who_said_no_color_gets_none() -> None:
    assert Terminal(Person(), {"NO_COLOR": "1"}).paint("fail", "red") == "fail"


def test_a_step_tells_its_seconds() -> None:
    out = io.StringIO()
    Terminal(out, {}).done("Redis ready")
    assert re.fullmatch(r"✓   0\.0 s  Redis ready\n", out.getvalue())


def test_each_program_keeps_its_colour() -> None:
    terminal = Terminal(Person(), {})
    for program in ("web", "worker", "web"):
        terminal.prefixed(program, "x")
    first, second, third = terminal._stream.getvalue().splitlines()  # type: ignore[attr-defined]
    assert first == third
    assert first.replace("web   ", "worker") != second
