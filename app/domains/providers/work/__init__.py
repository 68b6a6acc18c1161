"""Work that nodes do: jobs of remote kinds, assigned by a draw, claimed and answered over HTTP."""
