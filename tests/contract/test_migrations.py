"""The order of migrations is that of their numbers."""

from app.core.migrate import FOLDER


def test_each_number_exists_once_and_none_is_left_out() -> None:
    numbers = sorted(int(file.name[:4]) for file in FOLDER.glob("*.sql"))
    assert numbers == list(range(1, len(numbers) + 1))
