"""The layout of a PDF: its lines, their cells and the tables that these make."""
