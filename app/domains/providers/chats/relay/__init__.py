"""A chat on its way: from the node that answers to the client that waits."""
