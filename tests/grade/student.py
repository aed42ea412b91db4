#!/usr/bin/env python3
"""The bully election as a good student writes it, and, on request, as others do.

    BULLY_DIR=somewhere python3 student.py [--style=NAME] [--fault=NAME] [--times=N] [ID]

Without a fault it is right, in every style. A fault is named as `bully grade` names it. Its waits
are N times as long as otherwise, for a machine so busy that it holds up a process for as long.
"""

import os
import random
import select
import socket
import sys
import time

DIRECTORY = os.environ.get("BULLY_DIR", "/tmp/bully")
options = dict(word[2:].split("=", 1) for word in sys.argv[1:] if word.startswith("--"))
TIMES = int(options.get("times", 1))
ANSWER_TIMEOUT = 0.25 * TIMES  # from ELECTION to victory, if no answer comes
COORDINATOR_TIMEOUT = 0.35 * TIMES  # from ANSWER to a new election, if no COORDINATOR comes
PING_INTERVAL = 0.05
PING_TIMEOUT = 1.0  # no busy machine should make a live process look dead
READ_TIMEOUT = 0.2 * TIMES

ids = [word for word in sys.argv[1:] if not word.startswith("--")]
FAULT = options.get("fault", "")
STYLE = options.get("style", "")
if STYLE == "soon-again":
    COORDINATOR_TIMEOUT = 0.3 * ANSWER_TIMEOUT
if FAULT == "short-second-wait":
    COORDINATOR_TIMEOUT = 0.02
if FAULT == "hasty":
    ANSWER_TIMEOUT = 0.001
if FAULT in ("busy-loop", "busy-coordinator"):
    PING_TIMEOUT *= 4  # those that spin hold each other up
if FAULT == "sleeps-before-answer":
    PING_TIMEOUT *= 20  # a coordinator that sleeps is not dead
returned = bool(ids)
me = int(ids[0]) if ids else os.getpid()

coordinator = None
electing = False  # from the first ELECTION until a COORDINATOR is heard or declared
asked = 0  # how often
elections = 0  # that another has answered, since the latest COORDINATOR
deadline = None  # of the wait for an answer, or for a COORDINATOR
answered = False
reading = {}  # connection: when its time is over
pinging = {}  # connection: when its time is over
last_beat = time.monotonic()
next_ping = 0.0
next_suspicion = time.monotonic() + 1
dead = set()
highest = None  # of all coordinators so far
late = []  # those that it answers when its own election is over
kept = []  # what it holds without need
pool = []  # messages that a pool of threads may handle in any order: when, and which


def path(node):
    return os.path.join(DIRECTORY, str(node))


def others():
    names = [name for name in os.listdir(DIRECTORY) if FAULT == "foreign-file" or name.isdigit()]
    found = sorted(int(name) for name in names if int(name) != me)
    return found


at_start = others()


def age(node):
    try:
        return os.stat(path(node)).st_ctime_ns
    except FileNotFoundError:
        return 0


def is_higher(one, other):
    if FAULT == "ids-not-compared":
        return age(one) > age(other)
    return str(one) > str(other) if FAULT == "ids-compared-as-text" else one > other


def connect(node):
    """A connection to it, or None if there is no such process; a full backlog is waited for."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(PING_TIMEOUT)
    try:
        connection.connect(path(node))
        return connection
    except (ConnectionRefusedError, FileNotFoundError):
        if FAULT == "leaks-refused":
            kept.append(connection.dup())
        connection.close()
        return None
    except OSError:
        connection.close()
        return False


def send(kind, node):
    if FAULT == "asks-the-pid" and kind == "E":
        try:
            os.kill(node, 0)
        except OSError:
            return
    connection = connect(node)
    if connection is None and FAULT == "killed-by-a-dead-peer" and kind == "C":
        raise ConnectionRefusedError(path(node))
    if not connection:
        return connection
    with connection:
        ending = {"wrong-bytes": "\n", "wrong-bytes-zero": "\0"}.get(FAULT, "")
        is_swapped = (FAULT, kind) in (("wrong-from", "PE"), ("wrong-from-receiver", "C"))
        sender = node if is_swapped else me
        if FAULT == "wrong-from-cut":
            sender = me & 0xFFFF
        words = f"{kind};{sender}{ending}".encode()
        try:
            if STYLE == "two-writes":
                connection.sendall(words[: len(kind) + 1])
                time.sleep(0.002)
                words = words[len(kind) + 1 :]
            connection.sendall(words)
        except OSError:
            pass
        if FAULT == "leaks-sent":
            kept.append(connection.dup())
    return True


def start_election():
    global electing, answered, deadline, coordinator
    coordinator = None
    electing = True
    answered = answered and FAULT == "keeps-answer"
    higher = [node for node in others() if is_higher(node, me) and is_alive(node)]
    if FAULT == "asks-by-text":
        higher = [node for node in higher if str(node) > str(me)]
    if FAULT == "asks-some":
        higher = sorted(higher)[-1:]
    if FAULT == "asks-next":
        higher = sorted(higher)[:1]
    for node in others() if FAULT == "asks-lower" else higher:
        send("E", node)
    if FAULT == "asks-itself":
        send("E", me)
    deadline = time.monotonic() + (ANSWER_TIMEOUT if higher else 0)
    if FAULT == "waits-for-answer" and higher:
        deadline = None
    if FAULT == "deaf-in-election" and higher:
        time.sleep(ANSWER_TIMEOUT)
        deadline = time.monotonic() + 0.1  # for what has come meanwhile
    if not higher:
        win()


def is_alive(node):
    """Whether its socket takes connections: the dead are not waited for."""
    connection = connect(node)
    if connection:
        with connection:
            try:
                connection.sendall(f"1;{me}".encode())
            except OSError:
                pass
    return connection is not None


def win():
    global electing, coordinator, deadline
    if FAULT == "no-coordinator":
        return
    electing = False
    deadline = None
    coordinator = me
    listed = at_start if FAULT == "list-once" else others()
    told = [node for node in listed if not is_higher(node, me)]
    if FAULT == "hard-coded-cluster":
        told = told[:3]
    if FAULT == "tells-one":
        told = told[-1:]
    if FAULT == "tells-higher":
        told = [node for node in listed if is_higher(node, me)]
    if FAULT == "race" and len(told) > 1 and random.random() < 0.33:
        told = told[1:]
    if STYLE == "tells-itself":
        told = told + [me]
    if STYLE == "pauses-down":
        told.reverse()
    for node in told:
        if STYLE in ("pauses", "pauses-down") and node != told[0]:
            time.sleep(0.1)
        if send("C", node) is None and FAULT == "ends-at-the-dead":
            return
        if FAULT == "hangs" and len(told) > 2:
            time.sleep(1000)


def handle(words, connection):
    global answered, deadline, coordinator, electing, last_beat, highest, asked, elections
    if STYLE == "slow":
        time.sleep(0.05)
    if FAULT == "further-fields" and words.count(b";") > 1:
        return
    if FAULT == "killed-by-garbage":
        kind, sender = words.decode().strip("\n\0").split(";")[:2]
        sender = int(sender)
    else:
        try:
            kind, sender = words.decode().strip("\n\0").split(";")[:2]
            sender = int(sender)
        except ValueError:
            return
    if FAULT == "coordinator-answers-nothing" and kind == "E" and coordinator == me:
        return
    if sender == me:
        return
    if kind == "E" and is_higher(sender, me) and FAULT in ("answers-higher", "elects-for-higher"):
        send("PE", sender)
        if FAULT == "elects-for-higher" and not electing:
            start_election()
    if kind == "E" and not is_higher(sender, me):
        asked += 1
        if FAULT == "answers-twenty" and asked > 20:
            return
        if FAULT == "answers-on-same-connection":
            try:
                connection.sendall(f"PE;{me}".encode())
            except OSError:
                pass
        elif FAULT == "late-answer" and not electing and coordinator != me:
            late.append(sender)
        elif FAULT != "answers-nothing" and not (FAULT == "deaf-while-waiting" and electing and answered):
            if FAULT == "sleeps-before-answer" and (coordinator == me or connect(coordinator)):
                time.sleep(3 * ANSWER_TIMEOUT)
            if FAULT == "answers-late-in-its-wait":
                time.sleep(0.7 * ANSWER_TIMEOUT)
            send("PE", sender)
        if FAULT == "no-election-when-asked" and coordinator != me:
            return
        if not electing or FAULT == "election-storm":
            start_election()
    elif kind == "PE" and electing:
        if FAULT == "died":
            sys.exit("Traceback: this program has no idea what PE means")
        if FAULT == "wrong-coordinator":
            return
        answered = True
        deadline = time.monotonic() + COORDINATOR_TIMEOUT
        elections += 1
        if FAULT == "answerer-dies" or (FAULT == "answerer-dies-twice" and elections > 1):
            deadline = None
    elif kind == "C" and FAULT == "asks-on" and electing and is_higher(sender, me):
        return
    elif kind == "C":
        last_beat = time.monotonic()
        state = "usurper-ends-election" if electing else "usurper-accepted"
        state = "usurper-deposes" if coordinator == me else state
        if not is_higher(sender, me) and FAULT != state:
            if STYLE == "pool" and not electing:
                start_election()
            return
        if FAULT == "returner-ignored" and sender in dead:
            return
        if FAULT == "announcement-ignored" and coordinator not in (None, me):
            return
        highest = max(highest or 0, sender)
        if coordinator is not None and is_higher(coordinator, sender):
            dead.add(coordinator)
        is_stale = FAULT == "stale-timer" and not answered
        if not is_stale and not (FAULT == "stale-second-timer" and answered):
            deadline = None
        electing = False
        elections = 0
        coordinator = sender
        if FAULT == "orphan-pinger" and os.fork() == 0:
            time.sleep(1000)
        lower = [node for node in others() if node < me]
        if FAULT == "two-coordinators" and len(lower) > 1:
            for node in lower:
                send("C", node)
    elif kind == "1" and sender == coordinator:
        last_beat = time.monotonic()


def suspect():
    dead.add(coordinator)
    start_election()


def minds_any_death():
    return FAULT == "any-death" or FAULT == "any-death-as-coordinator" and coordinator == me


def watch(now):
    """Pings the coordinator, or hears its heartbeats, and starts an election when it is gone."""
    global next_ping, last_beat, next_suspicion
    if FAULT == "false-suspicion" and now > next_suspicion:
        next_suspicion = now + 0.6
        if not electing:
            return start_election()
    if FAULT.startswith("repeats-coordinator") and coordinator == me and now > next_suspicion:
        next_suspicion = now + (0.3 if FAULT == "repeats-coordinator" else 0.9)
        for node in others():
            if node < me:
                send("C", node)
    if now < next_ping:
        return
    next_ping = now + (0 if FAULT == "busy-loop" else PING_INTERVAL)
    if FAULT in ("old-coordinator", "never-quiet") and not electing and highest and now > next_suspicion:
        next_suspicion = now + (0.9 if FAULT == "old-coordinator" else 0.3)
        if not is_alive(highest):
            return start_election()
    if FAULT == "no-election" or coordinator is None:
        return
    if STYLE == "heartbeats":
        if coordinator == me:
            for node in others():
                if node < me:
                    send("1", node)
        elif now - last_beat > 12 * PING_INTERVAL:
            suspect()
        return
    is_watching_all = STYLE == "pings-all" or minds_any_death()
    targets = {coordinator, *others()} if is_watching_all else [coordinator]
    for node in targets:
        if node != me and all(node != pinged for _, pinged in pinging.values()):
            ping(node, now)


def ping(node, now):
    connection = connect(node)
    if connection is None and (node == coordinator or minds_any_death() and node not in dead):
        dead.add(node)
        return suspect()
    if connection is False and node == coordinator and FAULT != "hung-coordinator-unseen":
        return suspect()
    if not connection:
        return None
    try:
        if STYLE != "wordless":
            connection.sendall(f"1;{me}".encode() + (b"\n" if FAULT == "wrong-bytes-ping" else b""))
        connection.shutdown(socket.SHUT_WR)
    except OSError:
        pass
    pinging[connection] = (now + PING_TIMEOUT, node)
    return None


def read(connection):
    try:
        connection.setblocking(FAULT == "deaf-while-blocked")
        words = connection.recv({"short-read": 8, "short-read-ten": 10}.get(FAULT, 1024))
        if words and STYLE == "two-writes" and not words.split(b";")[-1].strip():
            connection.settimeout(READ_TIMEOUT)
            words += connection.recv(1024)
        if FAULT == "blocked-by-half" and words:
            connection.setblocking(True)
            while more := connection.recv(1024):
                words += more
        if FAULT == "dies-of-nothing" and not words:
            sys.exit("not enough values to unpack")
        if FAULT == "leaks-accepted" or FAULT == "leaks-empty" and not words:
            kept.append(connection.dup())
    except OSError:
        words = b""
    if words and STYLE == "pool":
        pool.append((time.monotonic() + random.uniform(0, 0.01), words))
    elif words:
        handle(words, connection)
    if words.startswith(b"1") and coordinator != me:
        if FAULT == "leaks-memory":
            kept.append(bytearray(1_000_000))
        if FAULT == "leaks-children" and os.fork() == 0:
            os._exit(0)
        if FAULT == "leaks-descriptors":
            kept.append(os.dup(connection.fileno()))
    connection.close()


def bind():
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    name = path(me)
    if FAULT == "wrong-name":
        name += "0"
    if FAULT == "name-suffix":
        name += ".sock"
    if FAULT != "does-not-come-back" and os.path.exists(name):
        os.unlink(name)
    listener.bind(name)
    if FAULT == "opens-directory":
        os.chmod(DIRECTORY, 0o777)
    listener.listen(16)
    return listener


def main():
    global deadline
    if FAULT == "never-starts":
        time.sleep(60)
    if FAULT == "too-many-processes":
        for _ in range(300):
            if os.fork() == 0:
                time.sleep(60)
                os._exit(0)
    listener = bind()
    if FAULT == "orphan-monitor" and os.fork() == 0:
        time.sleep(60)
        os._exit(0)
    is_silent = returned and (
        FAULT == "silent-returner" or (FAULT == "lost-lamb" and any(node > me for node in others()))
    )
    begins = time.monotonic() + (1 if STYLE == "late-start" else 0)
    if not is_silent and STYLE != "late-start":
        start_election()
        if FAULT == "deaf-at-start" and deadline is not None and time.monotonic() < deadline:
            time.sleep(ANSWER_TIMEOUT)
            win()
    while True:
        now = time.monotonic()
        if STYLE == "late-start" and begins and now > begins:
            begins = None
            start_election()
        due = [next_ping, deadline or next_ping + PING_INTERVAL, now + PING_INTERVAL]
        wait = max(0.0, min(due + [when for when, _ in pool]) - now)
        if FAULT == "busy-loop" or (FAULT == "busy-coordinator" and coordinator == me):
            wait = 0
        ready, _, _ = select.select([listener, *reading, *pinging], [], [], wait)
        now = time.monotonic()
        for one in ready:
            if one is listener:
                connection, _ = listener.accept()
                if FAULT == "deaf-while-blocked":
                    read(connection)
                else:
                    reading[connection] = now + READ_TIMEOUT
            elif one in reading:
                del reading[one]
                read(one)
            elif one in pinging:
                del pinging[one]
                one.close()
        for one in sorted(one for one in pool if one[0] <= now):
            pool.remove(one)
            handle(one[1], None)
        for one in [one for one, until in reading.items() if now > until]:
            del reading[one]
            one.close()
            if FAULT == "dies-of-silence":
                sys.exit("TimeoutError: timed out")
        for one in [one for one, (until, _) in pinging.items() if now > until]:
            _, node = pinging.pop(one)
            one.close()
            if node == coordinator and FAULT != "hung-coordinator-unseen":
                suspect()
        if deadline is not None and now > deadline:
            if answered:
                start_election()
            else:
                win()
        while late and not electing:
            send("PE", late.pop())
        watch(now)


if __name__ == "__main__":
    main()
