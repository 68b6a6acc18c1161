"""Components that operations of the OpenAPI document share: credentials, headers."""

from typing import Any

from app.core.http.fields import id_pattern
from app.core.ids import Noun

COMPONENTS: dict[str, Any] = {
    "securitySchemes": {
        "apiKey": {
            "type": "apiKey",
            "in": "header",
            "name": "X-API-Key",
            "description": "An API key with the required scope, from `/v1/api-keys`.",
        },
        "bearer": {
            "type": "http",
            "scheme": "bearer",
            "description": "An access token from `/v1/tokens`, or an API key.",
        },
        "nodeToken": {
            "type": "http",
            "scheme": "bearer",
            "description": "A node token from `POST /v1/nodes`.",
        },
    },
    "parameters": {
        "IdempotencyKey": {
            "name": "Idempotency-Key",
            "in": "header",
            "required": False,
            "description": "Makes the request safe to retry for 24 hours.",
            "schema": {"type": "string", "pattern": "^[!-~]{1,255}$"},
            "example": "5f0c1b1e-order-17",
        },
    },
    "headers": {
        "XRequestId": {
            "description": "Id of the request in the logs, equal to `error.request_id`.",
            "required": True,
            "schema": {"type": "string", "pattern": id_pattern(Noun.REQUEST)},
        },
        "XApiStatus": {
            "description": "`preview`: the operation may still change.",
            "required": True,
            "schema": {"type": "string", "const": "preview"},
        },
        "XIgnoredParameters": {
            "description": "Fields of the request that had no effect, separated by commas.",
            "schema": {"type": "string"},
            "example": "prompt_cache_key, service_tier",
        },
        "RateLimit": {
            "description": "Remaining quota (`r`), and seconds until the full quota or, without "
            "remaining"
            " quota, the next request (`t`).",
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
            "description": "Seconds to wait before a retry.",
            "required": True,
            "schema": {"type": "integer", "minimum": 1},
        },
        "MayRetryAfter": {
            "description": "Seconds to wait before the next poll; 0 means immediately. Not sent "
            "with a "
            "final result.",
            "schema": {"type": "integer", "minimum": 0},
        },
        "Location": {
            "description": "Address of the created object.",
            "required": True,
            "schema": {"type": "string", "format": "uri-reference"},
        },
        "WwwAuthenticate": {
            "description": "RFC 6750, section 3.",
            "schema": {"type": "string"},
        },
    },
}
