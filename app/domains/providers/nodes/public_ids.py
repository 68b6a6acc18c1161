"""How nodes are called in public."""

PREFIX = "node"
