"""The right rules, for programs beside this file that break one of them."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "src" / "rules"))
sys.dont_write_bytecode = True

from bully import DESCRIPTION, Process, main  # noqa: E402,F401
