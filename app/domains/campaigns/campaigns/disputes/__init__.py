"""Disputes and appeals of decided records."""
