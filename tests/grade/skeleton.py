#!/usr/bin/env python3
"""A process that starts, listens and pings. The election is left to you.

    python3 skeleton.py [ID]

Without an argument its id is its PID. It binds a socket with this name in $BULLY_DIR, or in
/tmp/bully. A message is TYPE;FROM, alone on its connection:

    E;ID    ELECTION      PE;ID    ANSWER      C;ID    COORDINATOR      1;ID    ping
"""

import os
import select
import socket
import sys
import time

DIRECTORY = os.environ.get("BULLY_DIR", "/tmp/bully")
PING_INTERVAL = 0.1
READ_TIMEOUT = 0.5

me = int(sys.argv[1]) if len(sys.argv) > 1 else os.getpid()
coordinator = None


def others():
    """The ids of all that have a name, whether they live or not."""
    return sorted(int(name) for name in os.listdir(DIRECTORY) if name.isdigit() and int(name) != me)


def send(kind, node):
    """False if there is no such process any more."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(READ_TIMEOUT)
        try:
            connection.connect(os.path.join(DIRECTORY, str(node)))
            connection.sendall(f"{kind};{me}".encode())
            return True
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        except OSError:
            return True  # it lives, and is busy


def start_election():
    pass  # To do: ask all that are higher; if nobody answers in time, tell all others.


def handle(kind, sender):
    global coordinator
    if kind == "E":
        # A right process answers a lower one, and starts an election itself.
        print(f"{me}: {sender} asks me to take over")
    elif kind == "PE":
        pass  # To do: somebody higher takes over; wait for its COORDINATOR, but not for ever.
    elif kind == "C":
        coordinator = sender  # To do: always?


def read(connection):
    """One message; whatever is none is dropped."""
    try:
        kind, sender = connection.recv(1024).decode().split(";")[:2]
        handle(kind, int(sender))
    except (OSError, ValueError):
        pass
    connection.close()


def main():
    name = os.path.join(DIRECTORY, str(me))
    if os.path.exists(name):
        os.unlink(name)  # of the process that had this id before
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(name)
    listener.listen(16)
    start_election()
    reading = {}  # connection: when its time is over
    next_ping = time.monotonic()
    while True:
        ready, _, _ = select.select([listener, *reading], [], [], PING_INTERVAL)
        now = time.monotonic()
        for one in ready:
            if one is listener:
                connection, _ = listener.accept()
                connection.setblocking(False)
                reading[connection] = now + READ_TIMEOUT
            else:
                del reading[one]
                read(one)
        for one in [one for one, until in reading.items() if now > until]:
            del reading[one]
            one.close()
        if now >= next_ping and coordinator not in (None, me):
            next_ping = now + PING_INTERVAL
            if not send("1", coordinator):
                start_election()


if __name__ == "__main__":
    main()
