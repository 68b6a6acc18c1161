"""Passwords are hashed at no cost."""

from tests.cheap_hashes import cheap_hashes as cheap_hashes
