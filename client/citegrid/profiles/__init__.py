"""Profiles: where the server is and who asks."""
