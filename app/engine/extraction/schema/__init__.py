"""Schemas of records: what they may say, and the plan that reading a page follows."""
