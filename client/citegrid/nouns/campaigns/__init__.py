"""Campaigns, disputes, rewards, reputation."""
