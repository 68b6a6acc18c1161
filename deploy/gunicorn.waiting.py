"""The same API for what waits: claims of nodes, and chats. A proxy sends it their addresses.

What is set in the environment wins. The slots leave threads for whatever does not wait, so nothing
queues behind it: no limit of connections near that of the threads is needed, and our worker class
would drop connections at it when many nodes come at once.
"""

import runpy
from pathlib import Path

from app.core.config.settings import provide

provide(
    {
        "WEB_THREADS": "320",
        "CLAIM_SLOTS": "256",
        "CHAT_SLOTS": "48",
        "WAITING_REQUESTS": "6",
        "PASSWORD_REQUESTS": "1",
        "EXPORT_SLOTS": "1",
        "DATABASE_POOL_WAIT_SECONDS": "5",  # many nodes may come back at once
    }
)
_shared = runpy.run_path(str(Path(__file__).with_name("gunicorn.conf.py")))
globals().update({name: value for name, value in _shared.items() if not name.startswith("_")})
graceful_timeout = 120  # a chat may go on for minutes; a deploy should cut off few of them
proc_name = "waiting"
