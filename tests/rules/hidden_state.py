#!/usr/bin/env python3
"""Wrong: a variable outside the memory counts the elections of all processes together."""
import base

elections = 0


class HiddenState(base.Process):
    def start_election(self, **cause):
        global elections
        elections += 1
        super().start_election(**cause)
        self.attempts = elections % 5


base.main(HiddenState)
