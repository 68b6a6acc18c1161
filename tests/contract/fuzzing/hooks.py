"""What schemathesis must know about us: how to sign in, and which texts our formats mean."""

import http.client
import json
import os
from typing import Any
from urllib.parse import urlsplit

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
    asking = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
    headers = {"Content-Type": "application/json"}
    asking.request("POST", "/v1/tokens", json.dumps(body), headers)
    token: str = json.load(asking.getresponse())["access_token"]
    asking.close()
    return token
