#!/usr/bin/env python3
"""Wrong: every comparison the other way round, so that the lowest process wins."""
import base


class LowestWins(base.Process):
    def start_election(self, **cause):
        lower = [peer for peer in self.ids if peer < self.id]
        if not lower:
            return self.become_coordinator()
        self.rule("ask")
        self.enter("candidate", asked=lower)
        self.actions.append({"start": "answer"})
        for peer in lower:
            self.send("E", peer, **cause)

    def become_coordinator(self):
        self.rule("win")
        self.enter("coordinator", coordinator=self.id)
        for peer in self.ids:
            if peer > self.id:
                self.send("C", peer)

    def on_received(self, q):
        if q["type"] == "E" and q["from"] > self.id:
            self.on_election(q["from"], q["fields"])
        if q["type"] == "PE":
            self.on_answer(q["from"])
        if q["type"] == "C" and q["from"] < self.id:
            self.enter("follower", coordinator=q["from"])


base.main(LowestWins)
