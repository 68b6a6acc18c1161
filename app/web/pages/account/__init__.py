"""Pages of the account: sign-in, keys, memory, usage, credit."""
