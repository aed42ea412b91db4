#!/usr/bin/env python3
"""The bully algorithm as a student might write it: one process, started several times.

    BULLY_DIR=somewhere python3 peer.py [ID]

It speaks the bytes of the example and nothing else: 1;ID  E;ID  PE;ID  C;ID
"""

import mmap
import os
import signal
import socket
import struct
import sys
import time

DIRECTORY = os.environ.get("BULLY_DIR", "/tmp/bully")
ANSWER_TIMEOUT = 0.3
PING_INTERVAL = 0.02

me = int(sys.argv[1]) if len(sys.argv) > 1 else os.getpid()
shared = mmap.mmap(-1, 8)  # the coordinator, also for the child: 0 during an election
deadline = None  # of the wait for an answer
suspected = False


def path(node):
    return os.path.join(DIRECTORY, str(node))


def follow(node):
    shared[:] = struct.pack("q", node)


def coordinator():
    return struct.unpack("q", shared[:])[0]


def send(kind, node):
    """False if there is no such process any more."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        try:
            connection.connect(path(node))
            connection.sendall(f"{kind};{me}".encode())
            return True
        except (ConnectionRefusedError, FileNotFoundError, BrokenPipeError):
            return False


def others():
    return [int(name) for name in os.listdir(DIRECTORY) if int(name) != me]


def hold_election():
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
            hold_election()
    elif kind == "PE":
        deadline = None
    elif kind == "C":
        deadline = None
        follow(sender)


def ping_for_ever(parent):
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


def main():
    global suspected
    signal.signal(signal.SIGUSR1, on_suspicion)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path(me))
    listener.listen(1)
    parent = os.getpid()
    if os.fork() == 0:
        listener.close()
        ping_for_ever(parent)
    listener.settimeout(PING_INTERVAL)
    hold_election()
    while True:
        if suspected:
            suspected = False
            hold_election()
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
    main()
