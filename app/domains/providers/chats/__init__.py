"""Chats with models that nodes serve: quotes, relaying, usage and its price, health of offers."""
