"""How far a campaign's money goes."""
