"""Addresses of a site: its links, its sitemap, what belongs to it."""
