"""The one text of a page that quotes point into, and where values stand in it."""
