"""The arrival of requests and departure of answers: a worker class for gunicorn, of no product."""
