"""The whole service on one machine, with servers of its own."""
