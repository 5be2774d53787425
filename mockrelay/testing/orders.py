"""Orders and submitted requests, as the relayer's operator handles them."""

from __future__ import annotations

from mockrelay.client.control import Control, hides
from mockrelay.testing.accounts import amount_text
from mockrelay.testing.control import described, word
from mockrelay.testing.record import Record, recorded

__tracebackhide__ = hides


class Order:
    """One order."""

    def __init__(self, control: Control, order_hash: str) -> None:
        self._control = control
        self.hash = word(order_hash, "order")
        """`orderHash` in the answer of submit_order."""

    @property
    def view(self) -> Record:
        """All of it, as `GET state` shows it."""
        view: Record = recorded(self._control("GET", f"orders/{self.hash}"))
        return view

    @property
    def status(self) -> str:
        """`waiting`, `processing`, `processed`, `cancelling`, `cancelled` or `expired`."""
        return str(self.view["status"])

    @property
    def filled_size(self) -> int:
        """The base amount that has been traded, in the token's smallest unit."""
        return int(self.view["filled_size"])

    def fill(self, size: str | int, price: str | None = None) -> Order:
        """Trade `size` (base token, smallest unit) of it with the house, at its own price unless another is given."""
        body = {"size": amount_text(size)} | ({} if price is None else {"price": price})
        return self._do("fill", body)

    def cancel(self) -> Order:
        """Cancel it, as its owner would."""
        return self._do("cancel", {})

    def release(self, as_: str = "active") -> Order:
        """Release an order that a fault holds: as `active` or as `failed`."""
        return self._do("release", {"as": as_})

    def _do(self, verb: str, body: dict[str, str]) -> Order:
        self._control("POST", f"orders/{self.hash}/{verb}", body)
        return self

    def __repr__(self) -> str:
        return f"<order {self.hash}{described(self._description)}>"

    def _description(self) -> str:
        view = self.view
        return f"{view['status']}, {view['filledSize']} of {view['size']} filled"


class Submission:
    """One submitted request: a transfer, withdrawal, account update or NFT request."""

    def __init__(self, control: Control, request_hash: str) -> None:
        self._control = control
        self.hash = word(request_hash, "submission")
        """`hash` in the answer to its submission."""

    @property
    def view(self) -> Record:
        """All of it, as `GET state` shows it."""
        view: Record = recorded(self._control("GET", f"submissions/{self.hash}"))
        return view

    @property
    def status(self) -> str:
        """`received`, `processing`, `processed` or `failed`."""
        return str(self.view["status"])

    def advance(self, to: str = "processed") -> Submission:
        """Move it on: to `processing`, `processed` or `failed`."""
        self._control("POST", f"submissions/{self.hash}/advance", {"to": to})
        return self

    def __repr__(self) -> str:
        return f"<submission {self.hash}{described(self._description)}>"

    def _description(self) -> str:
        view = self.view
        return f"{view['kind']}, {view['status']}"
