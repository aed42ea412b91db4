#!/usr/bin/env python3
"""Wrong: a process that is asked starts an election, and tells its asker nothing."""
import base


class NeverAnswers(base.Process):
    def send(self, code, to, **fields):
        if code != "PE":
            super().send(code, to, **fields)


base.main(NeverAnswers)
