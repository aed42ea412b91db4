#!/usr/bin/env python3
"""Wrong: the timer of a wait goes on after the wait, and a process acts by it in any state."""
import base


class ForgetsATimer(base.Process):
    def enter(self, *state, **more):
        super().enter(*state, **more)
        self.actions = [action for action in self.actions if "stop" not in action]

    def on_expired(self, q):
        if q["timer"] == "answer":
            self.rule("no-answer")
            self.become_coordinator()
        else:
            super().on_expired(q)


base.main(ForgetsATimer)
