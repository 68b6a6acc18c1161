"""Providers, offers, nodes, their work, chats."""
