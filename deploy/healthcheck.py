"""`python deploy/healthcheck.py PORT [PATH]`: whether a process of this container is there.

With a path it has to answer 200; without one it has to accept a connection, as a worker does on
METRICS_PORT whether or not Postgres answers: a worker that waits for Postgres is well.
"""

import http.client
import socket
import sys
from http import HTTPStatus

SECONDS = 4.0


def main(port: int, path: str = "") -> int:
    if not path:
        socket.create_connection(("127.0.0.1", port), SECONDS).close()
        return 0
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    connection.request("GET", path)
    return 0 if connection.getresponse().status == HTTPStatus.OK else 1


if __name__ == "__main__":
    try:
        sys.exit(main(int(sys.argv[1]), *sys.argv[2:]))
    except OSError as error:
        sys.exit(str(error))
