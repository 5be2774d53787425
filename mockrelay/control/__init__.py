"""The control API (`/__mockrelay/`): everything that a test may do to a relayer, and see of it, over HTTP.

Neither limited nor faulted. It changes a relayer only by commands, and looks at it under the lock of every call.
"""

from mockrelay.control.inspect import Load
from mockrelay.control.routes import ROUTES, handle_control

__all__ = ["ROUTES", "Load", "handle_control"]
