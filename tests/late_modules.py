"""Modules that few tests use are loaded by the first of them, not wherever tests are collected."""

import sys
from importlib.util import LazyLoader, find_spec, module_from_spec
from typing import Final

NAMES: Final = ("openai",)
"""Whoever imports one by this name has it when something in it is asked for."""


def use() -> None:
    """For this process."""
    for name in NAMES:
        spec = None if name in sys.modules else find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
            module = sys.modules[name] = module_from_spec(spec)
            spec.loader.exec_module(module)
