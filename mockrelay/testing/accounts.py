"""An account of the relayer, as a test reads and changes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypedDict, Unpack

from mockrelay.client.control import Control, hides
from mockrelay.suggest import nearest
from mockrelay.testing.control import word
from mockrelay.testing.record import Record, recorded
from mockrelay.testing.signing import HowSigned, Signed, sign

__tracebackhide__ = hides


class Balance(NamedTuple):
    """An account's layer-2 balance of a token, in its smallest unit."""

    free: int
    frozen: int
    in_flight: int

    @property
    def whole(self) -> int:
        """The sum of the three."""
        return self.free + self.frozen + self.in_flight


class Balances(dict[str, Balance]):
    """Balances by the token's symbol."""

    __slots__ = ()

    def __missing__(self, symbol: object) -> Balance:
        """Raise KeyError, listing the balances that exist."""
        raise KeyError(f"there is no balance of {symbol!r}; the account has {', '.join(self) or 'none'}")


class Keys(TypedDict, total=False):
    """Fields of `Account.keys`; coordinates are `0x` and hex digits."""

    public_key_x: str
    public_key_y: str
    key_seed: str
    account_nonce: int
    api_key: str


_KEY_FIELDS = {
    "public_key_x": "publicKeyX",
    "public_key_y": "publicKeyY",
    "key_seed": "keySeed",
    "account_nonce": "accountNonce",
    "api_key": "apiKey",
}
"""The control API's names of these fields, which `Account.keys` takes too for one release."""


class Account:
    """One account. Id, name and owner are read once, all else at every use."""

    def __init__(self, control: Control, who: str | int, url: Callable[[], str] = str) -> None:
        """`url` returns the relayer's address, which some signatures cover; empty where nothing serves it."""
        self._control = control
        self._url = url
        view = control("GET", f"accounts/{word(who, 'account')}")
        self.id: int = view["accountId"]
        """The account id."""
        self.name: str = view["name"]
        """Its name in the scenario."""
        self.owner: str = view["owner"]
        """Its owner's address."""

    @property
    def view(self) -> Record:
        """All of it, as the control API shows it."""
        view: Record = recorded(self._control("GET", f"accounts/{self.id}"))
        return view

    @property
    def api_key(self) -> str:
        """The API key of its requests."""
        key: str = self.view["api_key"]
        return key

    @property
    def headers(self) -> dict[str, str]:
        """The headers of its requests: `X-API-KEY`."""
        return {"X-API-KEY": self.api_key}

    @property
    def balances(self) -> Balances:
        """Its layer-2 balances by token symbol; a token that it never had is missing (`.get("LRC")`)."""
        return Balances(
            (symbol, Balance(int(part["free"]), int(part["frozen"]), int(part["inFlight"])))
            for symbol, part in self.view["balances"].items()
        )

    @property
    def is_frozen(self) -> bool:
        """Whether it is frozen."""
        return bool(self.view["frozen"])

    def deposit(self, token: str | int, amount: str | int) -> Account:
        """Add to its balance: `amount` in the smallest unit of a token (symbol or id)."""
        self._do("deposit", {"token": token, "amount": amount_text(amount)})
        return self

    def set_balance(self, token: str | int, amount: str | int) -> Account:
        """Set its free balance: `amount` in the smallest unit of a token (symbol or id). What is frozen or in flight stays."""
        self._do("balance", {"token": token, "amount": amount_text(amount)})
        return self

    def freeze(self, frozen: bool = True) -> Account:
        """Freeze or unfreeze it."""
        self._do("freeze", {"frozen": frozen})
        return self

    def keys(self, **changes: Unpack[Keys]) -> Account:
        """Change its keys without the client's knowledge: `keys(api_key="another")`."""
        if wrong := changes.keys() - {*_KEY_FIELDS, *_KEY_FIELDS.values()}:
            name = min(wrong)
            raise TypeError(f"keys has no argument {name!r}; meant: {nearest(name, _KEY_FIELDS)}")
        self._do("keys", {_KEY_FIELDS.get(name, name): value for name, value in changes.items()})
        return self

    def sign(
        self, endpoint: str, body: Mapping[str, Any], *, url: str | None = None, **how: Unpack[HowSigned]
    ) -> Signed:
        """A request as its client would send it, with every signature valid: `sign("submit_order", body)`.

        The body is signed as given: no field is added but signatures, which replace those that it has.
        `url` is the base address that the client uses, where it is not the relayer's own. Nothing is sent. Raises
        ControlError where a field that is signed is missing.
        """
        base = self._url if url is None else lambda: url.rstrip("/")
        return sign(self._control, self.id, endpoint, body, base, how)

    def _do(self, verb: str, body: dict[str, Any]) -> None:
        self._control("POST", f"accounts/{self.id}/{verb}", body)

    def __repr__(self) -> str:
        return f"<account {self.id} {self.name}>"


def amount_text(amount: str | int) -> str:
    """An amount as the API writes it. Raises TypeError for a float, which may have lost digits."""
    if isinstance(amount, bool) or not isinstance(amount, (str, int)):
        raise TypeError(f"{amount!r} is not an amount; meant: a whole number of the smallest unit, as int or text")
    return str(amount)
