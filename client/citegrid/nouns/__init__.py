"""One file for each kind of thing that the server knows."""
