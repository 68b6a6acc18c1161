"""Bodies about nodes: what is no body is refused as such, whatever else is wrong with it."""

from typing import Any

import pytest
from marshmallow import ValidationError

from app.domains.providers.nodes.schemas import NodeChangeSchema, NodeIn

SERVED = {"revision": "r1", "rates": {"input": "0", "output": "0"}, "max_context": 1}


def test_a_model_without_a_name_is_refused_by_that_name() -> None:
    body = {"name": "cellar", "capabilities": {"work": ["chat"], "models": [SERVED]}}
    with pytest.raises(ValidationError) as refused:
        NodeIn().load(body)
    assert refused.value.messages == {
        "capabilities": {"models": {0: {"model": ["Missing data for required field."]}}}
    }


@pytest.mark.parametrize("value", [{}, [], 0, "", "false", True])
def test_a_pause_is_ended_by_false_alone(value: Any) -> None:
    with pytest.raises(ValidationError):
        NodeChangeSchema().load({"paused": value})
    assert NodeChangeSchema().load({"paused": False}) == {"paused": False}
