"""How webhooks, their messages and deliveries are called in public."""

PREFIX = "whk"
MESSAGE_PREFIX = "msg"
DELIVERY_PREFIX = "dlv"
