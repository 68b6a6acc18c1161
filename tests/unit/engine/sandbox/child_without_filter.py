"""A child as on a machine that has no filter of system calls; it can answer nothing."""

from app.engine.sandbox import child, confinement

confinement._MACHINES = {}


def load() -> None:
    """There is nothing to load."""


def main(memory_bytes: int) -> None:
    child.serve({}, memory_bytes)
