"""A conformance run of the spec against any relayer, over HTTP: every answer is held to the spec's tables and schemas."""

from mockrelay.check.checking import Account, Options, Outcome, check_relayer
from mockrelay.check.own_world import CannotCheck, root_of
from mockrelay.check.rules import RULES

__all__ = ["RULES", "Account", "CannotCheck", "Options", "Outcome", "check_relayer", "root_of"]
