"""The components that many operations of the OpenAPI document share: credentials, headers, one
parameter.
"""

from typing import Any

from app.core.http.fields import id_pattern
from app.core.ids import Noun

COMPONENTS: dict[str, Any] = {
    "securitySchemes": {
        "apiKey": {
            "type": "apiKey",
            "in": "header",
            "name": "X-API-Key",
            "description": "A key of `/v1/api-keys` with the scope of the route.",
        },
        "bearer": {
            "type": "http",
            "scheme": "bearer",
            "description": "An access token of `/v1/tokens`, or an API key.",
        },
        "nodeToken": {
            "type": "http",
            "scheme": "bearer",
            "description": "The token of a node, from `POST /v1/nodes`.",
        },
    },
    "parameters": {
        "IdempotencyKey": {
            "name": "Idempotency-Key",
            "in": "header",
            "required": False,
            "description": "Makes the request safe to repeat for 24 hours.",
            "schema": {"type": "string", "pattern": "^[!-~]{1,255}$"},
            "example": "5f0c1b1e-order-17",
        },
    },
    "headers": {
        "XRequestId": {
            "description": "Names this request in the logs; equal to `error.request_id`.",
            "required": True,
            "schema": {"type": "string", "pattern": id_pattern(Noun.REQUEST)},
        },
        "XApiStatus": {
            "description": "`preview`: this interface may still change.",
            "required": True,
            "schema": {"type": "string", "const": "preview"},
        },
        "RateLimit": {
            "description": "What is left of the quota (`r`), and the seconds until it is whole "
            "again, or until the next request when nothing is left (`t`).",
            "required": True,
            "schema": {"type": "string"},
            "example": '"read";r=1799;t=1',
        },
        "RateLimitPolicy": {
            "description": "The quota (`q`) and its window in seconds (`w`).",
            "required": True,
            "schema": {"type": "string"},
            "example": '"read";q=1800;w=60',
        },
        "RetryAfter": {
            "description": "Whole seconds to wait before the next try.",
            "required": True,
            "schema": {"type": "integer", "minimum": 1},
        },
        "MayRetryAfter": {
            "description": "Seconds to wait before asking again, 0 for at once; not sent with a"
            " final answer.",
            "schema": {"type": "integer", "minimum": 0},
        },
        "Location": {
            "description": "Address of the thing that was accepted.",
            "required": True,
            "schema": {"type": "string", "format": "uri-reference"},
        },
        "WwwAuthenticate": {
            "description": "RFC 6750, section 3.",
            "schema": {"type": "string"},
        },
    },
}
