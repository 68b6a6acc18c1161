"""Pages that connect, watch and tell: operations, webhooks, clients."""
