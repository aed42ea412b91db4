#!/usr/bin/env python3
"""Wrong: a process that notices that its coordinator is gone does nothing."""
import base


class IgnoresALoss(base.Process):
    def on_suspected(self, q):
        pass


base.main(IgnoresALoss)
