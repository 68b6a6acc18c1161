"""Plans of records, from the names of their fields."""

from typing import Any, Final

from app.engine.extraction.schema.schema import Plan, plan

TEXT: Final = {"type": "string"}
NUMBER: Final = {"type": "number"}
TEXTS: Final = {"type": "array", "items": TEXT}
ADDRESS: Final = {"type": "string", "format": "uri"}
MINUTES: Final = {"type": "integer", "description": "in minutes"}


def plan_of(*required: str, called: str = "", **fields: Any) -> Plan:
    """The plan of a record with these fields, of which some are required."""
    name = {"title": called} if called else {}
    return plan({**name, "type": "object", "properties": fields, "required": [*required]})
