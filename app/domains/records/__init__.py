"""Records read from pages: jobs, monitors, workflows."""
