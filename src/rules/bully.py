#!/usr/bin/env python3
"""The bully election, as rules that `bully` runs: --algorithm=./bully.py

Change a rule and see what breaks: ./bully verify --algorithm=./bully.py
The contract is in: ./bully help rules
"""

import json
import sys


def rule(key, english, portuguese, log=None):
    """A rule; `log` is the reason that the log gives for it."""
    words = {"key": key, "text": {"en": english, "pt-BR": portuguese}}
    return words if log is None else {**words, "log": log}


DESCRIPTION = {
    "name": "my-bully",
    "messages": [
        {"code": "E", "name": "election", "role": "asks", "fields": [
            {"key": "lost"},  # the coordinator that its sender misses
            {"key": "was-away", "meaning": "sender"},  # or: the sender was away itself
        ]},
        {"code": "PE", "name": "answer", "role": "answers"},
        {"code": "C", "name": "coordinator", "role": "announces"},
    ],
    "states": [
        {"name": "follower", "role": "following"},
        {"name": "candidate", "role": "asking"},
        {"name": "waiting", "role": "waiting"},
        {"name": "coordinator", "role": "coordinating"},
    ],
    "properties": ["highest-live", "never-lower", "ends", "sent",
                   "highest-wins", "one-coordinator"],
    "rules": [
        rule("start", "A process that comes back starts an election.",
             "Um processo que volta inicia uma eleição.",
             {"en": "it may have missed an election: it starts over",
              "pt-BR": "pode ter perdido uma eleição: recomeça"}),
        rule("suspect", "The coordinator is gone: it starts an election.",
             "O coordenador caiu ou não reage: inicia uma eleição."),
        rule("deposed", "It missed a COORDINATOR: it starts an election.",
             "Não recebeu um COORDENADOR: inicia uma eleição."),
        rule("ask", "It sends ELECTION to every higher process.",
             "Envia ELEIÇÃO a todos os processos maiores."),
        rule("highest", "No process is higher: it does not ask.",
             "Nenhum processo é maior: não pergunta."),
        rule("win", "It sends COORDINATOR to every lower process.",
             "Envia COORDENADOR a todos os processos menores."),
        rule("answer", "A lower process asks: it sends ANSWER.",
             "Um menor pergunta: responde com PARAR ELEIÇÃO."),
        rule("take-over", "And then it starts an election itself,",
             "Em seguida, inicia ele mesmo uma eleição,",
             {"en": "{0} asks it to take over", "pt-BR": "{0} o chama a assumir"}),
        rule("already-holding", "unless it is already holding one.",
             "a menos que já esteja em uma."),
        rule("job-done", "A higher process answers: its job is done.",
             "Um maior responde: seu trabalho acabou."),
        rule("coordinator", "It follows the sender of a COORDINATOR.",
             "Segue quem enviou COORDENADOR."),
        rule("no-answer", "No process answers in time: it has won.",
             "Nenhum processo responde a tempo: venceu."),
        rule("no-coordinator", "No COORDINATOR in time: it starts again.",
             "Nenhum COORDENADOR a tempo: recomeça."),
        rule("gone", "A process that was asked is gone.",
             "Um processo consultado não existe mais."),
        rule("answerer-gone", "The process that answered is gone.",
             "O processo que respondeu não existe mais."),
        rule("successor-known", "It knows the successor of the lost one.",
             "Conhece o sucessor do coordenador perdido."),
        rule("won-already", "It has won already, and says so.",
             "Já venceu e diz isso."),
        rule("nobody-lost", "No coordinator is lost: no election.",
             "Nenhum coordenador se perdeu: nenhuma eleição."),
        rule("never-lower", "It never follows a lower process.",
             "Nunca segue um processo menor."),
        rule("never-told", "It follows the highest that answered.",
             "Segue o maior que respondeu."),
    ],
}


class Process:
    """One process: what it was before the event, and what it does now."""

    def __init__(self, q):
        memory = q["memory"] or {}
        self.id = q["id"]
        self.ids = q["ids"]
        self.state = q["state"]
        self.coordinator = q["coordinator"]
        self.attempts = memory.get("attempts", 0)
        self.answerer = memory.get("answerer")  # while waiting: the highest that answered
        self.asked = memory.get("asked", [])  # as candidate: those that may still answer
        self.actions = []

    def answer(self):
        return {
            "state": self.state,
            "coordinator": self.coordinator,
            "watch": self.answerer or self.coordinator,
            "memory": {"attempts": self.attempts, "answerer": self.answerer, "asked": self.asked},
            "actions": self.actions,
        }

    def rule(self, key):
        self.actions.append({"rule": key})

    def send(self, code, to, **fields):
        self.actions.append({"send": code, "to": to, "fields": fields})

    def enter(self, state, coordinator=None, answerer=None, asked=()):
        """What belongs to the state that it leaves is over."""
        if self.state == "candidate":
            self.actions.append({"stop": "answer"})
        if self.state == "waiting":
            self.actions.append({"stop": "coordinator"})
        self.state, self.coordinator = state, coordinator
        self.answerer, self.asked = answerer, list(asked)
        self.actions.append({"change": True})

    def is_in_election(self):
        return self.state in ("candidate", "waiting")

    # --- What the textbook says ---

    def start_election(self, **cause):
        # [Tan95, WP 1] It sends ELECTION to every process with a higher id.
        higher = [peer for peer in self.ids if peer > self.id]
        if not higher:
            self.rule("highest")
            return self.become_coordinator()
        self.rule("ask")
        self.enter("candidate", asked=higher)
        self.actions.append({"start": "answer"})
        for peer in higher:
            self.send("E", peer, **cause)

    def become_coordinator(self):
        # [WP 1, 2] It announces itself with COORDINATOR to every lower process.
        self.rule("win")
        self.enter("coordinator", coordinator=self.id)
        self.attempts = 0
        for peer in self.ids:
            if peer < self.id:
                self.send("C", peer)

    def on_started(self, q):
        # [Tan95] A process that was down and comes back starts an election.
        self.rule("start")
        self.start_election(**{"was-away": True})

    def on_preset(self, q):
        # All have long agreed: nothing is to be done.
        state = "coordinator" if q["peer"] == self.id else "follower"
        self.enter(state, coordinator=q["peer"])

    def on_suspected(self, q):
        # [Tan95, CDK] A process that notices that the coordinator is gone starts an election.
        is_gone = q["reason"] != "deposed"
        if q["peer"] == self.coordinator and is_gone:
            self.rule("suspect")
            self.start_election(lost=q["peer"])
        elif q["peer"] == self.coordinator:
            self.rule("deposed")
            self.start_election(**{"was-away": True})
        elif q["peer"] == self.answerer and is_gone:
            # DEVIATION 2: it does not wait for a COORDINATOR that cannot come.
            self.rule("answerer-gone")
            self.start_election()

    def on_received(self, q):
        if self.state == "down":
            return
        sender, fields = q["from"], q["fields"]
        if q["type"] == "E" and sender < self.id:
            self.on_election(sender, fields)
        if q["type"] == "PE":
            self.on_answer(sender)
        if q["type"] == "C":
            self.on_coordinator(sender)

    def on_election(self, sender, fields):
        # [Tan95] It sends ANSWER, and then starts an election, unless it is in one already.
        self.rule("answer")
        self.send("PE", sender)
        if self.is_in_election():
            return self.rule("already-holding")
        lost = fields.get("lost")
        if lost is not None and lost != self.coordinator:
            # DEVIATION 3: the successor's COORDINATOR is in flight to the sender.
            return self.rule("successor-known")
        if self.state == "coordinator":
            # DEVIATION 4: it has won already, and tells its asker.
            self.rule("won-already")
            return self.send("C", sender)
        if fields.get("was-away"):
            # DEVIATION 5: the sender only asks who is coordinator.
            return self.rule("nobody-lost")
        self.attempts = min(self.attempts, 1)
        self.rule("take-over")
        self.start_election(**({} if lost is None else {"lost": lost}))

    def on_answer(self, sender):
        # [Tan95] Someone higher answers: the process's job is done.
        if sender in self.asked:
            self.rule("job-done")
            self.enter("waiting", answerer=sender)
            # [WP 3] It waits a bounded time for a COORDINATOR.
            self.actions.append({"start": "coordinator", "attempts": self.attempts})
        elif self.state == "waiting" and sender > self.id:
            self.answerer = max(self.answerer, sender)

    def on_coordinator(self, sender):
        # [WP 5] A process that gets a COORDINATOR takes its sender as coordinator.
        if sender > self.id:
            self.rule("coordinator")
            self.attempts = 0
            self.enter("follower", coordinator=sender)
        elif not self.is_in_election():
            # DEVIATION 6: but never a lower one than itself.
            self.rule("never-lower")
            self.start_election()

    def on_gone(self, q):
        # DEVIATION 1: the kernel says that no process is there; the textbook's waits.
        if q["peer"] in self.asked:
            self.rule("gone")
            self.asked.remove(q["peer"])
            if not self.asked:
                self.become_coordinator()

    def on_expired(self, q):
        if q["timer"] == "answer" and self.state == "candidate":
            # [WP 2] No one answers in time: the process becomes coordinator.
            self.rule("no-answer")
            self.become_coordinator()
        elif q["timer"] == "coordinator" and self.state == "waiting":
            # [WP 3] No COORDINATOR comes in time: it holds a new election.
            self.attempts = min(self.attempts + 1, 4)
            if self.attempts == 1:
                self.rule("no-coordinator")
                self.start_election()
            else:
                # DEVIATION 7: answered twice and never told.
                self.rule("never-told")
                self.enter("follower", coordinator=self.answerer)


def main(kind=Process, description=DESCRIPTION):
    for line in sys.stdin:
        q = json.loads(line)
        if q["event"] == "describe":
            answer = description
        else:
            process = kind(q)
            getattr(process, "on_" + q["event"])(q)
            answer = process.answer()
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
