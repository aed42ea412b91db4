#!/usr/bin/env python3
"""Wrong: each ELECTION starts another election, also while the process is holding one."""
import base


class ElectsEachTime(base.Process):
    def on_election(self, sender, fields):
        self.rule("answer")
        self.send("PE", sender)
        self.rule("take-over")
        self.hold_election(**{"was-away": True})


base.main(ElectsEachTime)
