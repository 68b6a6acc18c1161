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
    assert re.fullmatch(r"✓ +\d+\.\d s  Redis ready\n", out.getvalue())


def test_each_program_keeps_its_colour() -> None:
    terminal = Terminal(Person(), {})
    for program in ("web", "worker", "web"):
        terminal.prefixed(program, "x")
    first, second, third = terminal._stream.getvalue().splitlines()  # type: ignore[attr-defined]
    assert first == third
    assert first.replace("web   ", "worker") != second


def test_a_person_sees_what_is_waited_for() -> None:
    terminal = Terminal(Person(), {})
    terminal.doing("Starting Redis")
    assert terminal._stream.getvalue().endswith("  Starting Redis ...")  # type: ignore[attr-defined]


def test_lines_stand_above_what_is_waited_for() -> None:
    terminal = Terminal(Person(), {"NO_COLOR": "1"})
    terminal.doing("Starting Redis")
    terminal.problem("Port 8000 is taken")
    shown = terminal._stream.getvalue()  # type: ignore[attr-defined]
    assert shown.endswith("\r\033[K! Port 8000 is taken\n  Starting Redis ...")


def test_a_finished_step_takes_the_place_of_its_waiting() -> None:
    terminal = Terminal(Person(), {"NO_COLOR": "1"})
    terminal.doing("Starting Redis")
    terminal.done("Redis ready")
    shown = terminal._stream.getvalue()  # type: ignore[attr-defined]
    assert re.fullmatch(r".*\r\033\[K✓ +\d+\.\d s  Redis ready\n", shown, re.DOTALL)


def test_a_file_gets_only_what_is_done() -> None:
    out = io.StringIO()
    Terminal(out, {}).doing("Starting Redis")
    assert out.getvalue() == ""
