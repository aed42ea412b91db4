#!/usr/bin/env python3
"""Wrong: a process that finds nobody sends its message again, and again."""
import base


class Resends(base.Process):
    def on_gone(self, q):
        self.send("E", q["peer"])


base.main(Resends)
