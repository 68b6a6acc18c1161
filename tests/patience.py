"""How long tests wait for what must come, however busy the machine is."""

from typing import Final

PATIENCE_SECONDS: Final = 600.0
"""Only a limit that is itself what a test shows may be shorter."""
