"""Providers, their computers, and the work and chats these do."""
