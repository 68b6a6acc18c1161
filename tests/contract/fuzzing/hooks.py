"""What schemathesis must know about us: who is signed in, which texts our formats mean, and what
there is."""

import itertools
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import schemathesis
from hypothesis import strategies as st

LABEL = st.from_regex(r"[a-z][a-z0-9]{0,20}", fullmatch=True)
HOST = st.builds("{}.{}".format, LABEL, LABEL)

schemathesis.openapi.format("idn-hostname", HOST)
schemathesis.openapi.format("uri", st.builds("https://{}/{}".format, HOST, LABEL))
schemathesis.openapi.format("email", st.builds("{}@{}".format, LABEL, HOST))


@schemathesis.serializer("application/x-ndjson")
def ndjson(_: Any, value: Any) -> bytes:
    """A batch is text, whatever its lines are."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


# Made beforehand: a run guesses passwords so often that nobody may sign in from its address.
THINGS = json.loads(Path(os.environ["FUZZ_THINGS"]).read_text(encoding="utf-8"))
KNOWN: dict[str, list[Any]] = THINGS["known"]
SIGNING_OUT = ("deleteCurrentToken", "deleteTokens")
# These end what others go on with.
LONGEST_WAIT = 25
ENDING = ("rollNodeToken",)


def _ends(operation: Any) -> bool:
    return operation.method == "delete" or operation_id(operation) in ENDING


def operation_id(operation: Any) -> str:
    return str(operation.definition.raw.get("operationId"))


@schemathesis.auth(refresh_interval=None)
class Token:
    """The access token of the account that the run belongs to, or the token of its node."""

    spare = itertools.cycle(THINGS["spare"])

    def get(self, *_: Any) -> str:
        return str(THINGS["token"])

    def set(self, case: Any, data: str, _: Any) -> None:
        # Signing out ends the token it is asked with, everywhere or here: not that of the run.
        if operation_id(case.operation) in SIGNING_OUT:
            token = next(self.spare)
        else:
            token = THINGS["node_token"] if _of_nodes(case.operation.definition.raw) else data
        case.headers = {**(case.headers or {}), "Authorization": f"Bearer {token}"}


def _of_nodes(operation: dict[str, Any]) -> bool:
    return {"nodeToken": []} in operation.get("security", [])


@schemathesis.hook
def before_load_schema(_: Any, raw_schema: dict[str, Any]) -> None:
    """Whatever takes examples gets them of things that there are."""
    for operation, method in _operations(raw_schema):
        if method == "delete" or operation["operationId"] in ENDING:
            continue
        for parameter in operation.get("parameters", []):
            if parameter.get("in") == "path" and parameter["name"] in KNOWN:
                parameter["example"] = KNOWN[parameter["name"]][0]


def _operations(raw_schema: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    for path in raw_schema["paths"].values():
        for method, operation in path.items():
            if isinstance(operation, dict) and "operationId" in operation:
                yield operation, method


@schemathesis.hook
def map_path_parameters(
    context: Any, path_parameters: dict[str, Any] | None
) -> dict[str, Any] | None:
    """Half of all paths are of things that there are; nobody erases what others go on with."""
    if _ends(context.operation) or not next(TURNS):
        return path_parameters
    turn = next(COUNT)
    for name, values in KNOWN.items():
        if path_parameters and name in path_parameters:
            path_parameters[name] = values[turn % len(values)]
    return path_parameters


@schemathesis.hook
def map_body(_: Any, body: Any) -> Any:
    """What nodes send is for what they have, and chats and searches name what there is."""
    if isinstance(body, dict):
        if isinstance(body.get("fence"), int) and 0 < body["fence"] < 2**31:
            body["fence"] = KNOWN["fence"][0]
        if "messages" in body and isinstance(body.get("model"), str) and body["model"]:
            body["model"] = KNOWN["model"][0]
        if _names_corpora(body.get("corpora")):
            body["corpora"] = KNOWN["corpora"]
    return body


def _names_corpora(value: Any) -> bool:
    names = value if isinstance(value, list) and len(value) <= 20 else []
    return bool(names) and all(isinstance(x, str) and 0 < len(x.strip()) <= 80 for x in names)


def _waits(text: str) -> bool:
    return re.fullmatch(r"[0-9]+(\.[0-9]+)?", text) is not None and float(text) <= LONGEST_WAIT


@schemathesis.hook
def before_call(_: Any, case: Any, __: Any) -> None:
    """Nobody waits for work, and nobody ends what others go on with, wherever its name is from."""
    if operation_id(case.operation) == "claimWork" and _waits(str((case.query or {}).get("wait"))):
        case.query["wait"] = "0.01"
    if not _ends(case.operation):
        return
    for name, value in (case.path_parameters or {}).items():
        if value in KNOWN.get(name, ()):
            case.path_parameters[name] = f"{value[:-4]}2222"


TURNS = itertools.cycle([True, False])
COUNT = itertools.count()
