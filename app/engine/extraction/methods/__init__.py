"""The ways in which a page offers values: structured data, labels, headings, tables, shapes."""
