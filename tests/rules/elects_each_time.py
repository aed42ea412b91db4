#!/usr/bin/env python3
"""Wrong: each ELECTION starts ten elections, also while the process is holding one."""
import base


class ElectsEachTime(base.Process):
    def on_election(self, sender, fields):
        self.rule("answer")
        self.send("PE", sender)
        self.rule("take-over")
        for _ in range(10):
            self.start_election(**{"was-away": True})


base.main(ElectsEachTime)
