"""A conformance run of the spec against any relayer, over HTTP: what it answers is held to the tables and the schemas."""

from mockrelay.check.rules import RULES
from mockrelay.check.running import Account, Outcome, Wish, check
from mockrelay.check.steering import Unreachable, root_of

__all__ = ["RULES", "Account", "Outcome", "Unreachable", "Wish", "check", "root_of"]
