"""The operators' view, health, and webhooks."""
