"""The account: keys, tokens, usage, credit."""
