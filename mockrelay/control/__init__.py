"""The control API (`/__mockrelay/`): everything that a test may do to a relayer, as verbs over HTTP.

Neither limited nor faulted. It changes a world only through the relay, under the same lock as every call.
"""

from mockrelay.control.fields import clock_wish_of
from mockrelay.control.kept import Load
from mockrelay.control.verbs import VERBS, handle_control, refusal_answer

__all__ = ["VERBS", "Load", "clock_wish_of", "handle_control", "refusal_answer"]
