"""How requests arrive and answers leave: a worker class for gunicorn, of no product."""
