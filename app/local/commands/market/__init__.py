"""Commands of nodes, offers, campaigns and what they earn."""
