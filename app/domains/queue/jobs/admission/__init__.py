"""Whether new work is accepted: what waits, and how fast it drains."""
