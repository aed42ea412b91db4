#!/usr/bin/env python3
"""The bully election as a student might write it. Start it several times, once for each process:

    python3 tests/peers/peer.py [ID]

ID is a positive number; without it the id is the PID. BULLY_DIR names the directory of the
processes (default: /tmp/bully). The program prints nothing. Ctrl-C ends it.

It speaks the bytes of the Python example and nothing else: 1;ID  E;ID  PE;ID  C;ID
"""

import mmap
import os
import re
import signal
import socket
import struct
import sys
import time

DIRECTORY = os.environ.get("BULLY_DIR", "/tmp/bully")
ANSWER_TIMEOUT = 0.3
PING_INTERVAL = 0.02

me = 0  # our own id; main() reads it
shared = mmap.mmap(-1, 8)  # the id of the coordinator, shared with the child; 0 during an election
deadline = None  # until when we wait for an ANSWER; None while we wait for none
suspected = False  # set by the child's signal: the coordinator does not react


def path(node):
    return os.path.join(DIRECTORY, str(node))


def follow(node):
    shared[:] = struct.pack("q", node)


def coordinator():
    return struct.unpack("q", shared[:])[0]


def send(kind, node):
    """Send one message on a connection; return False if that process is gone."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        try:
            connection.connect(path(node))
            connection.sendall(f"{kind};{me}".encode())
            return True
        except (ConnectionRefusedError, FileNotFoundError, BrokenPipeError):
            return False


def others():
    return [int(name) for name in os.listdir(DIRECTORY) if name.isdigit() and int(name) != me]


def start_election():
    global deadline
    follow(0)
    asked = [send("E", node) for node in others() if node > me]
    if any(asked):
        deadline = time.monotonic() + ANSWER_TIMEOUT
    else:
        win()


def win():
    global deadline
    deadline = None
    follow(me)
    for node in others():
        send("C", node)


def handle(message):
    global deadline
    kind, sender = message.split(";")[:2]
    sender = int(sender)
    if kind == "E" and sender < me:
        send("PE", sender)
        if coordinator() != 0:
            start_election()
    elif kind == "PE":
        deadline = None
    elif kind == "C":
        deadline = None
        follow(sender)


def ping_forever(parent):
    """The child: ping the coordinator, and signal the parent if it is gone."""
    while os.getppid() == parent:
        node = coordinator()
        if node not in (0, me) and not send("1", node):
            os.kill(parent, signal.SIGUSR1)
            time.sleep(ANSWER_TIMEOUT)
        time.sleep(PING_INTERVAL)
    os._exit(0)


def on_suspicion(*_):
    global suspected
    suspected = True


def read_id(arguments):
    """Return the id that the arguments give. End the program with its usage if they are wrong."""
    if "-h" in arguments or "--help" in arguments:
        print(__doc__.strip())
        sys.exit(0)
    if not arguments:
        return os.getpid()
    if len(arguments) > 1 or not re.fullmatch("0*[1-9][0-9]*", arguments[0], re.ASCII):
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    return int(arguments[0])


def listen():
    """Publish our name. The directory is created if it is missing."""
    try:
        os.makedirs(DIRECTORY, mode=0o700, exist_ok=True)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(path(me))
        listener.listen(1)
        return listener
    except OSError as error:
        sys.exit(f"peer.py: cannot listen at {path(me)}: {error.strerror or error}")


def main():
    global me, suspected
    me = read_id(sys.argv[1:])
    signal.signal(signal.SIGUSR1, on_suspicion)
    listener = listen()
    parent = os.getpid()
    if os.fork() == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        listener.close()
        ping_forever(parent)
    listener.settimeout(PING_INTERVAL)
    start_election()
    while True:
        if suspected:
            suspected = False
            start_election()
        if deadline is not None and time.monotonic() > deadline:
            win()
        try:
            connection, _ = listener.accept()
        except socket.timeout:
            continue
        with connection:
            message = connection.recv(1024).decode()
        if message:
            handle(message)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        os.unlink(path(me))
