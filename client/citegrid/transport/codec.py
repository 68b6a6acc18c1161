"""JSON into frozen dataclasses and back; unknown fields are ignored, so that servers may grow."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from types import UnionType
from typing import (
    Any,
    TypeVar,
    Union,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from citegrid.errors import UnusableAnswer

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class ApiObject:
    """Something that the server answered with; each class of its kind is a frozen dataclass."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(frozen=True)(cls)

    @property
    def request_id(self) -> str | None:
        """Names the request in the server's logs; None for a part of an answer."""
        return getattr(self, "_request_id", None)

    def to_dict(self) -> dict[str, Any]:
        """The same in JSON's types, under the names of the server."""
        members: dict[str, Any] = as_json(self)
        return members


def identified(answer: T, request_id: str | None) -> T:
    """The same answer, with the request that it belongs to."""
    if isinstance(answer, ApiObject):
        object.__setattr__(answer, "_request_id", request_id)  # results are frozen for others
    return answer


def decode(shape: type[T], value: object, where: str = "") -> T:
    """`value` (of `json.loads`) as `shape`: a dataclass, scalar, `X | None`, tuple or mapping.

    Money (`Decimal`) stands in strings, times (`datetime`) are RFC 3339 and become aware.
    Raises UnusableAnswer, which names the JSON pointer `where` and never the value.
    """
    return cast(T, _read(shape, value, where))


def _read(shape: Any, value: Any, where: str) -> Any:
    if shape in _SCALARS:
        return _scalar(shape, value, where)
    if is_dataclass(shape):
        return _record(cast(type, shape), value, where)
    inner = get_args(shape)
    if get_origin(shape) in (Union, UnionType):
        return None if value is None else _read(inner[0], value, where)
    if get_origin(shape) is tuple:
        items = _expect(list, value, where)
        return tuple(_read(inner[0], item, f"{where}/{n}") for n, item in enumerate(items))
    members = _expect(dict, value, where)
    return {name: _read(inner[1], member, f"{where}/{name}") for name, member in members.items()}


def _record(shape: type, value: Any, where: str) -> Any:
    given = _expect(dict, value, where)
    read = {
        name: _read(hint, given[name], f"{where}/{name}")
        for name, hint in _hints(shape).items()
        if name in given
    }
    missing = _required(shape) - read.keys()
    if missing:
        raise UnusableAnswer(f"The answer lacks {where}/{min(missing)}.")
    return shape(**read)


@cache
def _hints(shape: type) -> dict[str, Any]:
    hints = get_type_hints(shape)
    return {field.name: hints[field.name] for field in fields(cast(Any, shape))}


@cache
def _required(shape: type) -> frozenset[str]:
    every = fields(cast(Any, shape))
    return frozenset(
        field.name
        for field in every
        if field.default is MISSING and field.default_factory is MISSING
    )


def _expect(kind: type[T], value: object, where: str) -> T:
    if not isinstance(value, kind):
        raise UnusableAnswer(f"The answer's {where or '/'} is of an unexpected type.")
    return value


def _scalar(shape: Any, value: Any, where: str) -> Any:
    try:
        return _SCALARS[shape](value)
    except (TypeError, ValueError, ArithmeticError):  # a time or number out of range, too
        message = f"The answer's {where or '/'} is no {getattr(shape, '__name__', 'value')}."
    raise UnusableAnswer(message)


def _exactly(kind: type) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if type(value) is not kind:  # True is no number here
            raise TypeError
        return value

    return read


def _number(value: Any) -> float:
    if type(value) not in (int, float):
        raise TypeError
    return float(value)


def _decimal(value: Any) -> Decimal:
    if type(value) is not str:  # a float has lost what money needs
        raise TypeError
    found = Decimal(value)
    if not found.is_finite():
        raise ValueError
    return found


def _time(value: Any) -> datetime:
    found = datetime.fromisoformat(value)
    if found.tzinfo is None:
        raise ValueError
    return found.astimezone(UTC)


_SCALARS: dict[Any, Callable[[Any], Any]] = {
    str: _exactly(str),
    bool: _exactly(bool),
    int: _exactly(int),
    float: _number,
    Decimal: _decimal,
    datetime: _time,
    Any: lambda value: value,
}


def as_json(value: Any) -> Any:
    """A result in JSON's types, as the server wrote it: times with `Z`, money in strings.

    A field that the server leaves out when there is nothing to say is left out.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: as_json(attribute)
            for field in fields(value)
            if (attribute := getattr(value, field.name)) is not None or field.default is MISSING
        }
    if isinstance(value, Mapping):
        return {name: as_json(member) for name, member in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [as_json(item) for item in value]
    if isinstance(value, datetime):
        return timestamp(value)
    return format(value, "f") if isinstance(value, Decimal) else value


def timestamp(moment: datetime) -> str:
    """RFC 3339 in UTC. Raises ValueError for a time without a zone."""
    if moment.tzinfo is None:
        raise ValueError("A time needs a time zone.")
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
