"""The time that a browser had for its work, however busy the machine is."""

from app.engine.rendering.browser import Usage


class WorkClock:
    """Counts a browser's seconds: while it works those of CPU, which do not pass while it waits
    for a processor."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._cpu_seconds = 0.0

    def tick(self, pause: float, usage: Usage) -> None:
        """Call after each pause of so many seconds; what it took longer is our own slowness."""
        worked = max(0.0, usage.cpu_seconds - self._cpu_seconds)
        self.seconds += worked if usage.working else pause
        self._cpu_seconds = usage.cpu_seconds
