"""A node: a computer that does work for a Citegrid server and calls out only."""
