"""`python -m tests.relay.crowd_process URL FIRST COUNT`: some of the clients as a process of their own.

It prints a line once it can begin, begins when it reads one, and prints what its clients were answered, pickled.
"""

from __future__ import annotations

import pickle
import sys

from tests.relay.crowd import Client, run
from tests.support.connection import connected


def main(url: str, first: int, count: int) -> int:
    """Run the clients; the exit code is the number of errors."""
    clients = [Client(number) for number in range(first, first + count)]
    errors: list[BaseException] = []
    sys.stdout.buffer.write(b"ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    run(clients, lambda: connected(url), errors)
    pickle.dump([(client.answered, client.control_statuses) for client in clients], sys.stdout.buffer)
    for error in errors:
        print(repr(error), file=sys.stderr)
    return len(errors)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
