"""Proving who one is: passwords, keys, tokens and sessions."""
