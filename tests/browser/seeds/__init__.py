"""Data that pages show: a module per area, each with `plant(site)` and its rows of `PAGES`.

A module with `PAGES` is found by being here. `plant` writes through services and builders, without
waiting for workers, and puts the names of what it made into `site.ids`.
"""

import pkgutil
from importlib import import_module
from types import ModuleType
from typing import Final

_MODULES: Final = (import_module(f"{__name__}.{x.name}") for x in pkgutil.iter_modules(__path__))
AREAS: Final[dict[str, ModuleType]] = {
    module.__name__.rpartition(".")[2]: module for module in _MODULES if hasattr(module, "PAGES")
}
