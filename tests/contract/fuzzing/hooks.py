"""What schemathesis must know about us: how to sign in, and which texts our formats mean."""

import json
import os
import urllib.request
from typing import Any

import schemathesis
from hypothesis import strategies as st

LABEL = st.from_regex(r"[a-z][a-z0-9]{0,20}", fullmatch=True)
HOST = st.builds("{}.{}".format, LABEL, LABEL)

schemathesis.openapi.format("idn-hostname", HOST)
schemathesis.openapi.format("email", st.builds("{}@{}".format, LABEL, HOST))

SIGNING_OUT = "deleteCurrentToken"


@schemathesis.auth(refresh_interval=600)
class Token:
    """The access token of the account that the run belongs to."""

    def get(self, case: Any, _: Any) -> str:
        return _sign_in(case.operation.base_url)

    def set(self, case: Any, data: str, _: Any) -> None:
        # Signing out ends the token it is asked with: that must not be everybody's.
        signing_out = case.operation.definition.raw.get("operationId") == SIGNING_OUT
        token = _sign_in(case.operation.base_url) if signing_out else data
        case.headers = {**(case.headers or {}), "Authorization": f"Bearer {token}"}


def _sign_in(url: str) -> str:
    body = {"email": os.environ["FUZZ_EMAIL"], "password": os.environ["FUZZ_PASSWORD"]}
    asking = urllib.request.Request(
        f"{url.rstrip('/')}/v1/tokens",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(asking, timeout=30) as answer:
        token: str = json.load(answer)["access_token"]
    return token
