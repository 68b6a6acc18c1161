"""The reach of a campaign's money."""
