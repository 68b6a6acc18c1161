"""What every application of a process has alike is made once: its templates and its routes.

Most tests of the API have an application of their own. Compiling these two is most of the time that
making one takes.
"""

from inspect import isfunction
from types import CodeType, MethodType
from typing import Any

from flask import Flask
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from werkzeug.routing import Rule


class Templates(BytecodeCache):
    """The code of each template, for as long as its source is the same."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, str], CodeType | None] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._codes[bucket.key, bucket.checksum] = bucket.code


class Route(Rule):
    """Is compiled as the first rule of its kind was, whichever application that was of."""

    _compiled: dict[tuple[Any, ...], dict[str, Any]] = {}  # noqa: RUF012 (of all rules)

    def compile(self) -> None:
        assert self.map is not None
        converters = tuple(self.map.converters)  # by name: each application makes its own classes
        place = (self.rule, self.subdomain, self.host, self.map.host_matching, self.merge_slashes)
        kind = (*place, repr(self.defaults), converters)
        if kind not in self._compiled:
            super().compile()
            names = ("_parts", "_trace", "_converters", "arguments")
            made = {name: getattr(self, name) for name in names}
            builders = {name: getattr(self, name).__func__ for name in ("_build", "_build_unknown")}
            self._compiled[kind] = made | builders
            return
        for name, part in self._compiled[kind].items():
            setattr(self, name, MethodType(part, self) if isfunction(part) else part)


def use() -> None:
    """For all applications made from now on."""
    Flask.jinja_options = {"bytecode_cache": Templates()}
    Flask.url_rule_class = Route
