"""The control API (`/__mockrelay/`): a test's commands to a relayer and views of it, over HTTP.

Rate limits and faults do not apply to it. It changes a relayer only by commands, and reads it under the relay's lock.
"""

from mockrelay.control.inspect import Load
from mockrelay.control.routes import ROUTES, handle_control

__all__ = ["ROUTES", "Load", "handle_control"]
