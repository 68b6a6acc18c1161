"""Lists and tables that are sent whole: their forms, and cells that no spreadsheet computes."""
