"""Reading pages for records: the run that plans and joins, its lanes, learning, sampling."""
