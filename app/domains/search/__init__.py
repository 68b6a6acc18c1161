"""Questions and their answers, and what personas remember."""
