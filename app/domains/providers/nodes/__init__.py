"""Programs of other people that ask for work and do it: registration, tokens, pauses."""
