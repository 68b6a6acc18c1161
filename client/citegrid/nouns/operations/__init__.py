"""What operators see, health, and webhooks."""
