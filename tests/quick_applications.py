"""What every application of a process has alike is made once: its templates and its routes.

Most tests of the API have an application of their own. Compiling these two is most of the time that
making one takes.
"""

from collections.abc import Callable
from types import CodeType
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
    """Knows how addresses are built from the first rule of its kind."""

    _builders: dict[tuple[Any, ...], Callable[..., Any]] = {}  # noqa: RUF012 (of all rules)

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., Any]:
        kind = (self.rule, self.subdomain, self.host, repr(self.defaults), append_unknown)
        if kind not in self._builders:
            self._builders[kind] = super()._compile_builder(append_unknown)
        return self._builders[kind]


def use() -> None:
    """For all applications made from now on."""
    Flask.jinja_options = {"bytecode_cache": Templates()}
    Flask.url_rule_class = Route
