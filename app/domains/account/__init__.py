"""Accounts and who did what in them."""
