"""`mockrelay sweep`: a test command, run once under each reading of the spec."""

from mockrelay.cli.sweeping.children import Children
from mockrelay.cli.sweeping.readings import Only, Reading
from mockrelay.cli.sweeping.runs import Plan, Run, Verdict
from mockrelay.cli.sweeping.sweep import Sweep, Swept

__all__ = ["Children", "Only", "Plan", "Reading", "Run", "Sweep", "Swept", "Verdict"]
