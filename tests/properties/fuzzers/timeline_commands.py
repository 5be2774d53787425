"""Commands of a timeline, right by construction."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Document = dict[str, Any]

_some = st.integers(1, 10**30).map(str)
_hashes = st.integers(0, 16**64 - 1).map(lambda number: f"0x{number:064x}")
_client_ids = st.sampled_from(["a1", "010", "on"])


def commands(
    order: st.SearchStrategy[Document],
    owner: str,
    symbols: tuple[str, ...],
    choices: st.SearchStrategy[Document],
    faults: st.SearchStrategy[Document],
) -> st.SearchStrategy[Document]:
    """One command with its fields."""
    token = st.sampled_from(symbols)
    verbs: dict[str, st.SearchStrategy[Document]] = {
        "order": order,
        "cancel": _of_order(owner, {}),
        "fill": _of_order(owner, {"size": _some}) | _of_order(owner, {"size": _some, "price": st.just("0.5")}),
        "release": _of_order(owner, {"as": st.sampled_from(["active", "failed"])}),
        "deposit": _map(account=st.just(owner), token=token, amount=_some),
        "balance": _map(account=st.just(owner), token=token, amount=_some),
        "freeze": _map(account=st.just(owner), frozen=st.booleans()),
        "keys": _map(account=st.just(owner), accountNonce=st.integers(0, 99)),
        "seal": st.fixed_dictionaries({}, optional={"count": st.integers(1, 9)}),
        "finalize": st.fixed_dictionaries({}, optional={"upTo": st.integers(0, 9)}),
        "advance": _map(
            to=st.sampled_from(["processing", "processed", "failed"]),
            kind=st.sampled_from(["transfer", "withdrawal", "nft_deploy"]),
            account=st.just(owner),
        )
        | _map(to=st.just("failed"), hash=_hashes),
        "fees": _map(requestType=st.sampled_from(["withdrawal", "NFT_MINT", 9, 13]), token=token, fee=_some)
        | _map(requestType=st.just("transfer"), token=token, factor=st.sampled_from(["1.3", "0", "25", 2])),
        "layer1": _map(state=st.sampled_from(["up", "down", "error"])) | _map(gasPrice=_some),
        "deploy": _map(account=st.just(owner), outcome=st.sampled_from(["deployed", "failed"])),
        "choices": choices,
        "fault": faults,
    }
    return st.sampled_from(list(verbs)).flatmap(lambda verb: st.fixed_dictionaries({verb: verbs[verb]}))


def _map(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Document]:
    return st.fixed_dictionaries(fields)


def _of_order(owner: str, more: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[Document]:
    by_name = {"clientOrderId": _client_ids}
    return (
        st.fixed_dictionaries({"hash": _hashes, **more})
        | st.fixed_dictionaries({**by_name, **more}, optional={"account": st.just(owner)})
        | st.fixed_dictionaries({"account": st.just(owner), **more})
    )
