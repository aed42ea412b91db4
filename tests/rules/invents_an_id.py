#!/usr/bin/env python3
"""Wrong: a process that wins announces itself also to a process that does not exist."""
import base


class InventsAnId(base.Process):
    def become_coordinator(self):
        super().become_coordinator()
        self.send("C", max(self.ids) + 1)


base.main(InventsAnId)
