"""The form that registers a node: from its fields to the operation's body, and problems back."""

import shlex
from collections.abc import Mapping
from typing import Any, Final

from werkzeug.datastructures import MultiDict

from app.core.errors import Invalid
from app.web.frame.sent_forms import whole

_FIELDS: Final = {"input": "input_rate", "output": "output_rate", "capabilities": "work"}
"""Names of the form where they differ from the last step of the body's pointer."""


def body(form: MultiDict[str, str]) -> dict[str, Any]:
    """As createNode takes it; what is no number goes as it is, to be refused there."""
    capabilities = {
        "work": form.getlist("work"),
        "capacity": whole(form.get("capacity", "")),
        "models": [_model(form)] if form.get("model") else [],
    }
    return {"name": form.get("name", ""), "capabilities": capabilities}


def _model(form: Mapping[str, str]) -> dict[str, Any]:
    model = {
        "model": form["model"],
        "revision": form.get("revision", ""),
        "rates": {"input": form.get("input_rate", ""), "output": form.get("output_rate", "")},
        "max_context": whole(form.get("max_context", "")),
        "auto_eligible": "auto_eligible" in form,
    }
    return model | ({"precision": form["precision"]} if form.get("precision") else {})


def at_fields(error: Invalid) -> Invalid:
    """The same problems, each at the field of the form that it is about."""
    details = [
        {"field": f"/{_field(detail['field'])}", "problem": detail["problem"]}
        for detail in error.details
    ]
    return Invalid(details=details)


def _field(pointer: str) -> str:
    names = [step for step in pointer.split("/") if step and not step.isdecimal()]
    last = names[-1] if names else "name"
    return _FIELDS.get(last, last)


def commands(node: dict[str, Any], base_url: str) -> list[tuple[str, str, str]]:
    """The commands that start a node; its token is read from the terminal."""
    return [
        ("1. Install from the Citegrid repository", "sh", "pip install './client[node]'"),
        (
            "2. Set the node id, then paste the token and press Enter",
            "sh",
            f"export SERVICE_BASE_URL={shlex.quote(base_url)} CITEGRID_NODE_ID={node['id']}"
            " CITEGRID_NODE_TOKEN\nread -rs CITEGRID_NODE_TOKEN",
        ),
        ("3. Start the node", "sh", _run(node["capabilities"])),
    ]


def _run(capabilities: dict[str, Any]) -> str:
    """With the options that it was registered with; only its backend's address is not known."""
    words = ["citegrid", "node", "run", "--capacity", str(capabilities["capacity"])]
    for work in capabilities["work"]:
        words += ["--work", work]
    for model in capabilities["models"]:
        words += ["--backend", "http://127.0.0.1:8080", "--model", model["model"]]
        words += ["--revision", model["revision"], "--max-context", str(model["max_context"])]
        words += ["--input-rate", model["rates"]["input"]]
        words += ["--output-rate", model["rates"]["output"]]
        words += ["--precision", model["precision"]] if model.get("precision") else []
        words += ["--auto-eligible"] if model["auto_eligible"] else []
    return shlex.join(words)
