"""Pages of jobs, monitors and workflows."""
