"""For tests of a client: a handle on a relayer, in this process or on a server that is already up.

The pytest fixtures give it as `relayer`; without pytest: `RelayerHandle.of(relay)` or `RelayerHandle.at(url)`.
What needs Hypothesis (`explore`, `explored`, `RelayMachine`, `valid_call`, `near_valid_call`, `hostile_body`,
`hostile_call`) is imported when it is first asked for, and so are the calls that it draws (`ApiCall`, `ApiAnswer`).
"""

from typing import TYPE_CHECKING, Any

from mockrelay.client.control import Control, ControlError
from mockrelay.testing.accounts import Account, Balance
from mockrelay.testing.clock import Time
from mockrelay.testing.faults import ChangedChoices, Fault, FaultOptions, Snapshot
from mockrelay.testing.orders import Order, Submission
from mockrelay.testing.record import Record
from mockrelay.testing.relayer import RelayerHandle
from mockrelay.testing.requests import Requests, Why
from mockrelay.testing.signing import HowSigned, Signed

if TYPE_CHECKING:
    from mockrelay.client.call import ApiAnswer as ApiAnswer
    from mockrelay.client.call import ApiCall as ApiCall
    from mockrelay.testing.exploring import explore as explore
    from mockrelay.testing.exploring import explored as explored
    from mockrelay.testing.machine import RelayMachine as RelayMachine
    from mockrelay.testing.strategies import hostile_body as hostile_body
    from mockrelay.testing.strategies import hostile_call as hostile_call
    from mockrelay.testing.strategies import near_valid_call as near_valid_call
    from mockrelay.testing.strategies import valid_call as valid_call

_ASKED_FOR = {
    "mockrelay.client.call": ("ApiAnswer", "ApiCall"),
    "mockrelay.testing.exploring": ("explore", "explored"),
    "mockrelay.testing.machine": ("RelayMachine",),
    "mockrelay.testing.strategies": ("hostile_body", "hostile_call", "near_valid_call", "valid_call"),
}


def __getattr__(name: str) -> Any:
    """A name that is imported when it is asked for, from the module that has it."""
    for module, names in _ASKED_FOR.items():
        if name in names:
            from importlib import import_module  # noqa: PLC0415 - see the top

            try:
                return getattr(import_module(module), name)
            except ModuleNotFoundError as error:
                if error.name != "hypothesis":
                    raise
                meant = "install 'mockrelay[hypothesis]'"
                raise ModuleNotFoundError(f"{name} needs Hypothesis; meant: {meant}", name=error.name) from None
    if name == "Relayer":  # its name until 0.1.0, for one release
        return RelayerHandle
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """All names, those too that are not imported yet."""
    return sorted({*globals(), *__all__})


__all__ = [
    "Account",
    "ApiAnswer",
    "ApiCall",
    "Balance",
    "ChangedChoices",
    "Control",
    "ControlError",
    "Fault",
    "FaultOptions",
    "HowSigned",
    "Order",
    "Record",
    "RelayMachine",
    "RelayerHandle",
    "Requests",
    "Signed",
    "Snapshot",
    "Submission",
    "Time",
    "Why",
    "explore",
    "explored",
    "hostile_body",
    "hostile_call",
    "near_valid_call",
    "valid_call",
]
