"""What every application of a process has alike is made once: templates, routes, blueprints.

Most tests of the API have an application of their own, and making it took longer than most of them.
"""

from copy import copy
from dataclasses import replace
from importlib import import_module
from inspect import isfunction
from types import CodeType, MethodType
from typing import Any

from flask import Flask
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from werkzeug.routing import Rule

from app.core import tracing
from app.core.config.settings import Settings


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
        converters = tuple(self.map.converters)
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


_first: dict[str, Flask] = {}


def made(settings: Settings, **changes: Any) -> Flask:
    """An application with state and connections of its own; its routes are those of the first of
    its kind, and no test adds to them."""
    settings = replace(settings, **changes)
    # By name: unit tests import this file too, and must not depend on the web application.
    wsgi = import_module("app.wsgi")
    if tracing.is_on():  # it wraps what is shared
        return wsgi.create_app(settings)  # type: ignore[no-any-return]
    kind = settings.extraction_product_segment  # all that routes look at
    if kind not in _first:
        _first[kind] = wsgi.create_app(settings)
    app = copy(_first[kind])
    del app.wsgi_app  # of the first; `equip` wraps its own
    app.config, app.extensions = copy(app.config), copy(app.extensions)
    wsgi.equip(app, settings)
    return app
