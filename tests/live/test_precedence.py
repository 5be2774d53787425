"""Which refusal of a live call comes first: each rule broken together with every later one, and only its own code answers.

The order is shape, key, account, signature, then the row's own rules; in rows of the specification, which this profile has
too, it is the specification's. Of two rules that one field breaks the earlier is broken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest

from mockrelay.core.requests.counterfactual import token_address
from mockrelay.relay import Relay
from mockrelay.spec.endpoints import BY_ID
from mockrelay.spec.live_endpoints import LIVE_ENDPOINTS
from tests.live.forms import LEFT_OUT, Sent, changed, prepared, refused, right_requests
from tests.live.test_rows import FACTORY, KEY, order_v3
from tests.support.answer import Answer
from tests.support.bodies import E18, EDDSA_SIGNATURE, bodies_of
from tests.support.calls import FIELD
from tests.support.client import digest, done, post, send

RIGHT: Any = object()
OTHER, NOBODY = "0x" + "2" * 40, "0x" + "0" * 40
BOB, UNKNOWN = 10002, 99999
BOBS_CONTRACT = "bob's contract"
"""Stands for its address."""
BAD_SIGNATURE = "0x" + "ff" * 96
"""Of the right length, its parts beyond the field."""


class Rule(NamedTuple):
    """One rule: its code, and what a request changes to break it."""

    code: int
    how: str
    fields: Mapping[str, Any] = {}
    key: Any = RIGHT
    signature: Any = RIGHT
    prepare: Callable[[Relay], object] | None = None
    """What must be so in the world for the rule to be broken."""
    named: str = ""
    """What the message says beside the code's meaning, where that is not the first of the fields."""


def _same_token(relay: Relay) -> None:
    done(relay, "PUT", "choices", {"transfer.fee_token": "same", "withdrawal.fee_token": "same"})


def _freeze(relay: Relay) -> None:
    done(relay, "POST", "accounts/10001/freeze", {"frozen": True})


def _poor(relay: Relay) -> None:
    done(relay, "POST", "accounts/10001/balance", {"token": "LRC", "amount": str(1_000 * E18)})


def _bid(relay: Relay) -> None:
    """Bob bids an ETH for 100 LRC, far above all others."""
    fields = {"sellToken": {"tokenId": 0, "volume": str(E18)}, "buyToken": {"tokenId": 1, "volume": str(100 * E18)}}
    assert post(relay, "/api/v3/order", order_v3(relay, 0, accountId=BOB, **fields), key="bob").code == 0


def _key() -> tuple[Rule, ...]:
    return Rule(104001, "no key", key=None, named="X-API-KEY"), Rule(104002, "unknown key", key="x", named="X-API-KEY")


def _account(field: str, code: int) -> tuple[Rule, ...]:
    """Whose account it must be."""
    return Rule(code, "unknown", {field: UNKNOWN}), Rule(code, "of another", key="bob", named=field)


def _owner(field: str) -> Rule:
    """Whose address it must be."""
    return Rule(102022, "another owner", {field: OTHER})


NO_SIGNATURE = Rule(104004, "none", {"eddsaSignature": LEFT_OUT}, signature=None, named="X-API-SIG")
NO_HEADER = Rule(104004, "none", signature=None, named="X-API-SIG")
WRONG_HEADER = Rule(104005, "malformed", signature="0x12", named="X-API-SIG")
EXCHANGE = Rule(102001, "exchange", {"exchange": OTHER})
WRONG_SIGNATURE = Rule(104005, "malformed", {"eddsaSignature": BAD_SIGNATURE})
BEYOND = Rule(102021, "beyond the ids", {"storageId": 2**32})
EXPIRED = Rule(100001, "expired", {"validUntil": 1})
SHAPE = Rule(100001, "shape", {"validUntil": "soon"})
FEE_TOKEN = Rule(102024, "fee token", {"maxFee.tokenId": 9})
AMOUNTS = (
    Rule(100001, "nothing", {"token.volume": "0"}),
    Rule(100001, "a fee too low", {"maxFee.volume": "1"}),
    Rule(100001, "more than the balance", {"token.volume": str(20_000_001 * E18)}),
)
NFT_AMOUNTS = (
    Rule(100001, "nothing", {"token.amount": "0"}),
    Rule(114002, "a fee too low", {"maxFee.amount": "1"}),
    Rule(100001, "more than are held", {"token.amount": "6"}),
)
_NFT = (
    Rule(100001, "no such NFT", {"token.nftData": "0x" + "5" * 64}),
    Rule(100001, "another NFT's id", {"token.tokenId": 32769}),
)
_SAME_TOKEN = Rule(102025, "tokens differ, by choice", {"maxFee.tokenId": 0}, prepare=_same_token)
_NO_TOKEN = Rule(100001, "no such token", {"token.tokenId": 99})
_END = (BEYOND, EXPIRED)
GEN2_ORDER = (
    Rule(102003, "unknown", {"accountId": UNKNOWN}),
    Rule(104003, "of another", {"accountId": BOB}),
    Rule(102010, "none", {"signatureS": LEFT_OUT}),
    Rule(104004, "blank", {"signatureRy": "0"}),
    Rule(104005, "beyond the field", {"signatureRx": str(FIELD)}),
    Rule(102001, "exchange", {"exchangeId": 3}),
    Rule(102002, "token", {"tokenSId": 77}),
    Rule(102005, "market", {"tokenBId": 1}),
    Rule(102004, "used by a request", {"orderId": 901}),
    Rule(102006, "fee", {"maxFeeBips": 64}),
    Rule(102008, "expired", {"validUntil": 1}),
    Rule(102120, "all or none", {"allOrNone": "true"}),
    Rule(102012, "too small", {"amountS": "1"}),
    Rule(102020, "too large", {"amountS": str(10**40)}),
    Rule(102011, "balance", {"amountS": str(9_000_000 * E18)}, prepare=_poor),
)
_SHAPE_OF_ID = Rule(100001, "shape", {"accountId": "x"})
_OTHER_KEY = (
    Rule(100001, "another key", {"publicKeyX": "7"}),
    Rule(100001, "another key's half", {"publicKeyY": "7"}),
)
_OF_ANOTHER = Rule(104003, "of another", {"accountId": BOB})
_HISTORY = (
    Rule(100001, "shape", {"limit": "x"}),
    *(*_key(), Rule(107001, "no account", {"accountId": LEFT_OUT}), _OF_ANOTHER),
)

RULES: dict[str, tuple[Rule, ...]] = {
    "submit_order_gen3": (
        Rule(102120, "shape", {"buyToken.volume": "x"}, named="buyToken.volume"),
        Rule(102120, "a type with a code of its own", {"validUntil": "soon"}),
        Rule(102120, "no end", {"validUntil": LEFT_OUT}),
        Rule(102006, "a type with a code of its own", {"maxFeeBips": "x"}),
        Rule(102120, "no highest fee", {"maxFeeBips": LEFT_OUT}),
        *_key(),
        Rule(102003, "unknown", {"accountId": UNKNOWN}),
        Rule(104003, "of another", key="bob", named="accountId"),
        Rule(102010, "none", {"eddsaSignature": LEFT_OUT}),
        Rule(104004, "blank", {"eddsaSignature": " "}),
        *(WRONG_SIGNATURE, EXCHANGE),
        Rule(102027, "frozen", prepare=_freeze, named="frozen"),
        Rule(102002, "token", {"sellToken.tokenId": 99}),
        Rule(102005, "market", {"buyToken.tokenId": 1}),
        Rule(102004, "used by a request", {"storageId": 901}),
        Rule(102006, "fee", {"maxFeeBips": 64}),
        Rule(102008, "expired", {"validUntil": 1}),
        Rule(102120, "all or none", {"allOrNone": True}),
        Rule(102012, "too small", {"sellToken.volume": "1"}),
        Rule(102012, "for nothing", {"buyToken.volume": "0"}),
        Rule(102020, "too large", {"sellToken.volume": str(10**40), "buyToken.volume": str(10**40)}),
        Rule(102011, "balance", {"sellToken.volume": str(9_000_000 * E18)}, prepare=_poor),
        Rule(102120, "would take", {"orderType": "MAKER_ONLY"}, prepare=_bid),
    ),
    "submit_order_v2": (
        Rule(102120, "shape", {"amountB": "x"}),
        *(Rule(102120, f"no {name}", {name: LEFT_OUT}) for name in ("validSince", "validUntil", "maxFeeBips", "label")),
        *(*_key(), *GEN2_ORDER),
    ),
    "submit_transfer": (
        *(*_key(), NO_HEADER, Rule(100000, "shape", {"label": 65536})),
        Rule(102001, "exchange", {"exchangeId": 3}),
        *_account("sender", 102022),
        Rule(102023, "receiver", {"receiver": UNKNOWN}),
        Rule(102024, "fee token", {"tokenF": 77}),
        Rule(102025, "tokens differ, by choice", {"tokenF": 0}, prepare=_same_token),
        Rule(104004, "blank", {"signatureRy": "0"}),
        Rule(104005, "beyond the field", {"signatureRx": str(FIELD)}),
        Rule(102021, "nonce", {"nonce": 9}),
        Rule(100000, "more than the balance", {"amount": str(10**30)}),
    ),
    "submit_transfer_v3": (
        *(SHAPE, *_key(), *_account("payerId", 102022), NO_SIGNATURE, WRONG_SIGNATURE, EXCHANGE, _owner("payerAddr")),
        Rule(102023, "nobody", {"payeeAddr": NOBODY}),
        Rule(102023, "not the payee's", {"payeeId": 10003}),
        *(FEE_TOKEN, _SAME_TOKEN, *_END, _NO_TOKEN, *AMOUNTS),
    ),
    **dict.fromkeys(
        ("submit_withdrawal_live", "submit_withdrawal_v2"),
        (
            *(SHAPE, *_key(), *_account("accountId", 102022), NO_SIGNATURE, WRONG_SIGNATURE, EXCHANGE, _owner("owner")),
            *(Rule(102023, "nobody", {"to": NOBODY}), FEE_TOKEN, _SAME_TOKEN, *_END, _NO_TOKEN, *AMOUNTS),
        ),
    ),
    **dict.fromkeys(
        ("update_account_live", "update_account_v2"),
        (
            *(SHAPE, Rule(102022, "unknown", {"accountId": UNKNOWN}), NO_SIGNATURE, WRONG_SIGNATURE, EXCHANGE),
            *(_owner("owner"), FEE_TOKEN, Rule(102021, "nonce", {"nonce": 9})),
            Rule(100001, "no coordinate", {"publicKey.x": f"0x{FIELD:x}"}),
            *(EXPIRED, AMOUNTS[1]),
        ),
    ),
    "mint_nft_live": (
        *(SHAPE, *_key(), *_account("minterId", 102022), WRONG_SIGNATURE, EXCHANGE, _owner("minterAddress")),
        Rule(100001, "another factory", {"counterFactualNftInfo.nftFactory": OTHER}),
        Rule(100001, "another's factory", {"counterFactualNftInfo.nftOwner": OTHER}),
        Rule(100001, "nobody's contract", {"tokenAddress": OTHER}),
        Rule(108003, "bob's contract", {"tokenAddress": BOBS_CONTRACT}),
        Rule(100001, "a base URI", {"counterFactualNftInfo.nftBaseUri": "ipfs://x"}),
        Rule(102023, "nobody", {"toAddress": NOBODY}),
        Rule(102023, "not the receiver's", {"toAccountId": BOB}),
        *(FEE_TOKEN, *_END, Rule(100001, "nothing", {"amount": "0"}), NFT_AMOUNTS[1]),
    ),
    "create_collection": (
        *(Rule(100001, "shape", {"name": LEFT_OUT}), *_key(), Rule(104003, "unknown", {"owner": OTHER})),
        *(Rule(104003, "of another", key="bob", named="owner"), NO_HEADER, WRONG_HEADER),
        Rule(100001, "another factory", {"nftFactory": OTHER}),
    ),
    "transfer_nft_live": (
        *(SHAPE, *_key(), *_account("fromAccountId", 102022), NO_SIGNATURE, WRONG_SIGNATURE, EXCHANGE),
        *(_owner("fromAddress"), *_NFT, Rule(102023, "nobody", {"toAddress": NOBODY})),
        Rule(102023, "not the receiver's", {"toAccountId": 10003}),
        *(FEE_TOKEN, *_END, *NFT_AMOUNTS),
    ),
    "withdraw_nft_live": (
        *(SHAPE, *_key(), *_account("fromAccountId", 102022), WRONG_SIGNATURE, EXCHANGE, _owner("fromAddress"), *_NFT),
        *(Rule(102023, "nobody", {"toAddress": NOBODY}), FEE_TOKEN, *_END, *NFT_AMOUNTS),
    ),
    "withdraw_nft_real": (
        *(SHAPE, *_key(), *_account("accountId", 102022), NO_SIGNATURE, WRONG_SIGNATURE, EXCHANGE, _owner("owner")),
        *(_NFT[0], Rule(102023, "nobody", {"to": NOBODY}), FEE_TOKEN, *_END, *NFT_AMOUNTS),
    ),
    **{
        f"post_api_key_{generation}": (
            *(_SHAPE_OF_ID, *_key(), Rule(101002, "unknown", {"accountId": UNKNOWN})),
            *(Rule(104003, "of another", key="bob", named="accountId"), NO_HEADER, WRONG_HEADER),
            *(_OTHER_KEY if generation == "v2" else ()),
        )
        for generation in ("v2", "v3")
    },
    **{
        f"get_api_key_{generation}": (
            *(_SHAPE_OF_ID, Rule(101002, "unknown", {"accountId": UNKNOWN}), NO_HEADER, WRONG_HEADER),
            *(_OTHER_KEY if generation == "v2" else ()),
        )
        for generation in ("v2", "v3")
    },
    **{
        name: (
            *(_SHAPE_OF_ID, *_key(), _OF_ANOTHER, NO_HEADER, WRONG_HEADER),
            Rule(102117, "none is open", {"orderHash": "0x" + "1" * 64}, named="no such open order"),
        )
        for name in ("cancel_order_v3", "cancel_orders_v2")
    },
    **{
        name: (_SHAPE_OF_ID, *_key(), _OF_ANOTHER, NO_HEADER, WRONG_HEADER)
        for name in ("cancel_orders_v3_by_hash", "cancel_orders_v2_by_hash")
    },
    **{
        name: (
            *(_SHAPE_OF_ID, *_key(), _OF_ANOTHER),
            Rule(107002, "no hash", {"orderHash": LEFT_OUT}),
            Rule(107003, "no such order", {"orderHash": "1"}),
        )
        for name in ("get_order_v3", "get_order_v2")
    },
    "get_orders_v3": _HISTORY,
    "compute_token_address_live": (
        *(Rule(100001, "shape", {"nftOwner": "x"}), *_key()),
        Rule(100001, "another factory", {"nftFactory": OTHER}),
    ),
    **{
        name: (
            *(Rule(100001, "shape", {"maxNext": "x"}), *_key(), Rule(101002, "unknown", {"accountId": UNKNOWN})),
            *(Rule(104003, "of another", key="bob", named="accountId"), Rule(102002, "token", {field: 9})),
        )
        for name, field in (("get_storage_id", "sellTokenId"), ("get_storage_id_v2", "tokenSId"))
    },
    **{
        f"get_{kind}_{generation}": _HISTORY
        for kind in ("transfers", "withdrawals", "deposits", "user_trades")
        for generation in ("v2", "v3")
    },
    **{f"get_nft_{kind}": _HISTORY for kind in ("mints", "transfers", "withdrawals", "deposits")},
    "get_nft_balances": tuple(rule for rule in _HISTORY if rule.code != 107001),
    **dict.fromkeys(
        (*("get_create_info", "get_update_info", "get_create_info_v2", "get_update_info_v2"), "get_transactions_v3"),
        _HISTORY,
    ),
}
"""By row and, where it has several orders of judgement, by case; in the order of judgement."""
CASES = [(case, number) for case, rules in RULES.items() for number in range(len(rules))]
_ACCOUNT = {"accountId": 10001}
_QUERIES: Mapping[str, Mapping[str, Any]] = {
    **{
        name: {**_ACCOUNT, "orderHash": "1"}
        for name in ("get_order_v3", "get_order_v2", "cancel_orders_v3_by_hash", "cancel_orders_v2_by_hash")
    },
    "get_storage_id": {**_ACCOUNT, "sellTokenId": 1},
    "get_storage_id_v2": {**_ACCOUNT, "tokenSId": 1},
    "get_api_key_v2": {**_ACCOUNT, **dict(KEY)},
    "compute_token_address_live": {"nftFactory": FACTORY, "nftOwner": OTHER},
}
"""The right query of a call without a body, where an account is not all of it."""


@pytest.fixture(scope="module")
def shared() -> Relay:
    """The world, which each case gets as it was at first."""
    relay = prepared()
    done(relay, "POST", "snapshots", {"name": "before"})
    return relay


@pytest.fixture
def relay(shared: Relay) -> Relay:
    done(shared, "POST", "snapshots/before/restore")
    return shared


def right(relay: Relay, case: str) -> Sent:
    row = BY_ID[case.partition(" ")[0]]
    if row.method == "POST":
        return right_requests(relay)[row.id]
    return Sent(dict(_QUERIES.get(row.id, _ACCOUNT)), EDDSA_SIGNATURE if row.signature else None)


def ask(relay: Relay, case: str, rules: tuple[Rule, ...]) -> Answer:
    """The call of a case that breaks these rules."""
    row, (body, signature), key = BY_ID[case.partition(" ")[0]], right(relay, case), "alice"
    for rule in reversed(rules):
        for name, value in rule.fields.items():
            body = changed(body, name, contract_of_bob(relay) if value == BOBS_CONTRACT else value)
        key = key if rule.key is RIGHT else rule.key
        signature = signature if rule.signature is RIGHT else rule.signature
        if rule.prepare is not None:
            rule.prepare(relay)
    if row.method == "POST":
        return post(relay, row.path, body, key=key, signature=signature)
    query = [(name, str(value)) for name, value in body.items()]
    return send(relay, row.method, row.path, query=query, key=key, signature=signature)


def test_rows_list_their_codes_in_the_order_of_judgement() -> None:
    """But codes of a shape, and that of frozen accounts, which a choice gives; a code of several rules stands with the first."""
    for case, rules in RULES.items():
        row = BY_ID[case.partition(" ")[0]]
        codes = [rule.code for rule in rules if not rule.how.startswith("a type")]
        judged = [code for code in dict.fromkeys(codes) if code not in (100000, 100001, 102027, 102120)]
        order = [int(code) for code in row.listed_codes]
        places = [order.index(code) for code in judged if code in order]
        assert places == sorted(places), case


def contract_of_bob(relay: Relay) -> str:
    nft, bob = relay.world.config.exchange, relay.world.accounts[BOB]
    return token_address(nft.nft_factory.lower(), nft.nft_implementation.lower(), bob.owner.lower())


def _id(case: str, number: int) -> str:
    return f"{case}-{RULES[case][number].code}-{RULES[case][number].how}"


@pytest.mark.parametrize(("case", "first"), CASES, ids=[_id(*case) for case in CASES])
def test_the_earlier_rule_answers(relay: Relay, case: str, first: int) -> None:
    """Its own code, although all later rules are broken too; the world does not change."""
    rules = RULES[case][first:]
    for rule in rules:
        if rule.prepare is not None:
            rule.prepare(relay)
    before = digest(relay)
    answer = ask(relay, case, tuple(rule._replace(prepare=None) for rule in rules))
    named = rules[0].named or next(iter(rules[0].fields))
    refused(answer, 200 if BY_ID[case.partition(" ")[0]].enveloped else 400, {rules[0].code}, named)
    assert digest(relay) == before


NEVER_RIGHT = ("get_order_v3", "get_order_v2")
"""Calls about an order that there is not."""


@pytest.mark.parametrize(
    "case", [case for case in RULES if case not in NEVER_RIGHT and not case.startswith("cancel_o")]
)
def test_with_no_rule_broken_it_is_taken(relay: Relay, case: str) -> None:
    """What the tables break is otherwise right."""
    assert ask(relay, case, ()).code == 0


def test_each_live_row_that_needs_a_key_or_a_signature_is_judged_in_a_case() -> None:
    """But for the batch, tested below; calls that differ from another only in what they look up; and blocks, as the spec's."""
    needed = {row.id for row in LIVE_ENDPOINTS if not row.public and row.per_second is not None}
    assert needed - {case.partition(" ")[0] for case in RULES} == {
        *("submit_orders_v2", "get_block_live", "get_nft_fee_live", "get_orders_live"),
        *("get_offchain_fee", "get_order_rate_amount", "get_nft_order_rate_amount", "get_fee_rates_v2"),
        *("get_offchain_fee_v2", "get_order_rate_amount_v2", "get_order_fee_v2"),
        *("get_balances_v3", "get_balances_v2", "get_collections", "get_collection_details"),
        *("cancel_orders_v3_by_client_id", "cancel_orders_v2_by_client_id"),
    }


def test_in_a_batch_each_order_is_judged_in_the_same_order_f9(relay: Relay) -> None:
    """One order for each rule, which breaks it and all later ones."""
    rules = [rule for rule in GEN2_ORDER if rule.prepare is None]
    orders = []
    for first in range(len(rules)):
        order = bodies_of(relay).order(2 * first)
        for rule in reversed(rules[first:]):
            for name, value in rule.fields.items():
                order = changed(order, name, value)
        orders.append(order)
    before = digest(relay)
    errors = []
    for start in range(0, len(orders), 10):
        batch = post(relay, "/api/v2/batchOrders", {"orders": orders[start : start + 10]})
        assert batch.code == 104209
        errors += [each["error"]["code"] for each in batch.data]
    assert errors == [rule.code for rule in rules]
    assert digest(relay) == before
