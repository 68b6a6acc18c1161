"""Hooks, by which a domain calls others that it does not know."""

from collections.abc import Iterator
from typing import Any, ClassVar, Generic, TypeVar

T = TypeVar("T")


class NotConnected(RuntimeError):
    """Nobody is connected to a hook that is needed: the program is at fault, not its user."""


class Hook(Generic[T]):
    """A place of a domain into which others put functions, or facts, of one type.

    It is declared where it is used, as a constant; `name` is how `app/wiring.py` spells it.
    """

    declared: ClassVar[list["Hook[Any]"]] = []

    def __init__(self, name: str) -> None:
        self.name = name
        self._parts: tuple[T, ...] = ()
        self.declared.append(self)

    def connect(self, *parts: T) -> None:
        """Let it have these, in this order, instead of what it had."""
        self._parts = parts

    def __iter__(self) -> Iterator[T]:
        """All that is connected. Raises NotConnected."""
        if not self._parts:
            raise _not_connected(self.name)
        return iter(self._parts)

    @property
    def only(self) -> T:
        """The one that is connected, where two would contradict each other. Raises NotConnected."""
        [part] = self
        return part

    @classmethod
    def require(cls) -> None:
        """Raises NotConnected, which names every hook that nobody is connected to."""
        missing = [hook.name for hook in cls.declared if not hook._parts]
        if missing:
            raise _not_connected(*missing)


def _not_connected(*names: str) -> NotConnected:
    return NotConnected(f"app/wiring.py connects nobody to: {', '.join(names)}")
