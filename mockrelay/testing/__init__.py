"""For tests of a client: a handle on a relayer, in this process or on a server that is already up.

The pytest fixtures give it as `relayer`; without pytest: `Relayer.of(relay)` or `Relayer.at(url)`.
"""

from mockrelay.testing.accounts import Account, Balance
from mockrelay.testing.clock import Time
from mockrelay.testing.control import Control, ControlError
from mockrelay.testing.faults import Choosing, Fault, FaultFields, Snapshot
from mockrelay.testing.orders import Order, Submission
from mockrelay.testing.record import Record
from mockrelay.testing.relayer import Relayer
from mockrelay.testing.requests import Requests, Why
from mockrelay.testing.signing import HowSigned, Signed

__all__ = [
    "Account",
    "Balance",
    "Choosing",
    "Control",
    "ControlError",
    "Fault",
    "FaultFields",
    "HowSigned",
    "Order",
    "Record",
    "Relayer",
    "Requests",
    "Signed",
    "Snapshot",
    "Submission",
    "Time",
    "Why",
]
