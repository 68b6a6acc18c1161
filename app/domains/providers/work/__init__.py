"""Work that nodes do: jobs of remote kinds, drawn by lot, claimed and answered over HTTP."""
