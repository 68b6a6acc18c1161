"""What schemathesis must know about us: who is signed in, and which texts our formats mean."""

import itertools
import os
from pathlib import Path
from typing import Any

import schemathesis
from hypothesis import strategies as st

LABEL = st.from_regex(r"[a-z][a-z0-9]{0,20}", fullmatch=True)
HOST = st.builds("{}.{}".format, LABEL, LABEL)

schemathesis.openapi.format("idn-hostname", HOST)
schemathesis.openapi.format("uri", st.builds("https://{}/{}".format, HOST, LABEL))
schemathesis.openapi.format("email", st.builds("{}@{}".format, LABEL, HOST))

# Made beforehand: a run guesses passwords so often that nobody may sign in from its address.
TOKEN, *SPARE = Path(os.environ["FUZZ_TOKENS"]).read_text(encoding="utf-8").split()
SIGNING_OUT = ("deleteCurrentToken", "deleteTokens")


@schemathesis.auth(refresh_interval=None)
class Token:
    """The access token of the account that the run belongs to."""

    spare = itertools.cycle(SPARE)

    def get(self, *_: Any) -> str:
        return TOKEN

    def set(self, case: Any, data: str, _: Any) -> None:
        # Signing out ends the token it is asked with, everywhere or here: not that of the run.
        signing_out = case.operation.definition.raw.get("operationId") in SIGNING_OUT
        token = next(self.spare) if signing_out else data
        case.headers = {**(case.headers or {}), "Authorization": f"Bearer {token}"}


@schemathesis.hook
def before_load_schema(_: Any, raw_schema: dict[str, Any]) -> None:
    """Nothing makes personas yet: by that name alone searches would be held for unreachable."""
    del raw_schema["components"]["schemas"]["SearchIn"]["properties"]["persona_id"]


@schemathesis.hook
def map_path_parameters(
    context: Any, path_parameters: dict[str, Any] | None
) -> dict[str, Any] | None:
    """Half of all identifiers are of the offer, provider, job and snapshot there is; nobody erases
    what others go on with."""
    erasing = context.operation.method == "delete"
    for name, known in KNOWN.items():
        if path_parameters and name in path_parameters and next(TURNS) and not erasing:
            path_parameters[name] = known
    return path_parameters


OFFER, JOB, SNAPSHOT = Path(os.environ["FUZZ_THINGS"]).read_text(encoding="utf-8").split()
KNOWN = {"offer_id": OFFER, "handle": "ada", "job_id": JOB, "snapshot_id": SNAPSHOT}
TURNS = itertools.cycle([True, False])
