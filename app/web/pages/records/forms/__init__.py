"""Forms of jobs: schemas as rows of fields, schedules, steps, and the bodies of requests."""
