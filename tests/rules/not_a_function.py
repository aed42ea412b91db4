#!/usr/bin/env python3
"""Wrong: messages go out in the order of a set, which differs from one start to the next."""
import base


class NotAFunction(base.Process):
    def become_coordinator(self):
        super().become_coordinator()
        said = {str(action["to"]): action for action in self.actions if "send" in action}
        others = [action for action in self.actions if "send" not in action]
        self.actions = others + [said[to] for to in set(said)]


base.main(NotAFunction)
