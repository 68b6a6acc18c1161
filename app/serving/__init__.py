"""The arrival of requests and departure of answers: a worker class for gunicorn, of no product.

It stands on some twenty private parts of gunicorn's gthread worker, which any release may change:
hence the exact pin in setup.cfg, this check of it, and the sieges in tests/integration/serving.
"""

from typing import Final

import gunicorn

GUNICORN: Final = "27.0.1"

if gunicorn.__version__ != GUNICORN:  # before the private parts are imported
    raise SystemExit(
        f"app.serving is written for gunicorn {GUNICORN}, and this is {gunicorn.__version__}."
        " Install that one, or set WEB_WORKER=gthread and put a proxy in front that buffers"
        " requests and answers."
    )
