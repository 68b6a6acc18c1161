"""Reading many pages of the web in parallel, by a deadline. Needs no web engine."""
