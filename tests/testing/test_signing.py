"""The signer: what it gives is taken by a relayer that verifies, is what real clients send, and signs what was given."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, get_type_hints
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockrelay.control.signable import FAMILIES, SIGNABLE, TEXT_FORMS, TYPED_FORMS
from mockrelay.core.signatures.messages import SIGNED
from mockrelay.relay import Relay
from mockrelay.signing import keys
from mockrelay.signing.eddsa import Family
from mockrelay.spec.endpoint import SPEC
from mockrelay.spec.endpoints import BY_ID, BY_NAME
from mockrelay.testing import Account, ControlError, HowSigned, RelayerHandle, Signed
from mockrelay.web import serve
from mockrelay.wire.http import RawRequest
from tests.conformance.signatures.published import Case, cases
from tests.conformance.signatures.published import world as vectors_world
from tests.support.answer import Answer
from tests.support.bodies import E18, LRC
from tests.support.client import control, digest
from tests.support.worlds import relay_from
from tests.testing.sending import posted
from tests.testing.unsigned import EXCHANGE, Bodies

OF_SPEC = tuple(name for name in SIGNABLE if BY_NAME[name].profile == SPEC)

PROTOCOL = {"signature.scheme": "protocol"}
BASE = "http://127.0.0.1:4627"
LAYER1 = int("1c" * 32, 16)
TYPED = ("typed", "personal", "bare")
SIGNATURES = ("signatureRx", "signatureRy", "signatureS", "eddsaSignature", "ecdsaSignature")


def handle(choices: Mapping[str, str] = PROTOCOL) -> RelayerHandle:
    """A handle on a relay without a socket, which its clients know by a URL."""
    return RelayerHandle.of(relay_from(choices=choices), BASE)


@pytest.fixture
def relayer() -> RelayerHandle:
    return handle()


def send(relayer: RelayerHandle, signed: Signed) -> Answer:
    """What a relay without a socket answers to it."""
    headers = {name.lower(): value for name, value in signed.headers.items()}
    host = urlsplit(signed.url).netloc
    raw = RawRequest(signed.method, signed.path, signed.path, (), headers, signed.content, "http", host, "127.0.0.1")
    response = relayer.relay.handle(raw, relayer.relay.now_ms())
    return Answer(response.status, dict(response.headers), response.body)


def taken(answer: Answer) -> Any:
    """What a request that must be taken is answered."""
    assert (answer.status, answer.code) == (200, 0), answer.body
    return answer.json


# ---- All kinds, taken by a relayer that verifies.


@contextmanager
def reached(way: str) -> Iterator[RelayerHandle]:
    """A handle in this process or over HTTP, on a relay, on its socket or on a world of it."""
    relay = relay_from(choices=PROTOCOL)
    if way == "no socket":
        yield RelayerHandle.of(relay, BASE)
        return
    with serve(relay) as server:
        if way == "in process":
            yield RelayerHandle.of(relay, server.url)
        else:
            yield RelayerHandle.at(server.url + ("/w/mine" if way == "world" else ""))


@pytest.mark.parametrize("way", ["no socket", "in process", "over HTTP", "world"])
def test_every_kind_is_taken_as_it_is_signed(way: str) -> None:
    """An order and money, a key update and what comes after it, an NFT from mint to layer 1."""
    with reached(way) as relayer:
        sent = posted if way != "no socket" else lambda signed: send(relayer, signed)
        bodies = Bodies(relayer)
        alice, bob, carol = (relayer.account(name) for name in ("alice", "bob", "carol"))
        taken(sent(alice.sign("submit_order", bodies.order(alice, 0))))
        taken(sent(alice.sign("submit_transfer", bodies.transfer(alice, bob, 0))))
        taken(sent(alice.sign("submit_withdrawal", bodies.withdrawal(alice, 3))))

        before = alice.sign("submit_order", bodies.order(alice, 1))
        new = keys.derive(LAYER1, "a seed of nobody's")
        taken(sent(alice.sign("update_account", bodies.update(alice, new.public, 1))))
        assert sent(before).code == 104005
        with pytest.raises(ControlError, match="nobody here has the layer-2 key"):
            alice.sign("submit_order", bodies.order(alice, 1))
        taken(sent(alice.sign("submit_withdrawal", bodies.withdrawal(alice, 4), scheme="ecdsa")))

        contract = bodies.contract_of(carol)
        minted = taken(sent(carol.sign("mint_nft", bodies.mint(carol, contract, 1))))["raw_data"]
        taken(sent(carol.sign("transfer_nft", bodies.move(carol, bob, minted, 2))))
        deployment = bodies.deployment(carol, contract, minted["nftData"], 3)
        elsewhere = carol.sign("deploy_nft_contract", deployment, url="http://localhost:1")
        assert sent(_at(elsewhere, relayer)).code == 104005
        taken(sent(carol.sign("deploy_nft_contract", deployment)))
        relayer.clock.advance("15s")
        taken(sent(bob.sign("withdraw_nft", bodies.move(bob, bob, minted, 4))))


def _at(signed: Signed, relayer: RelayerHandle) -> Signed:
    return Signed(signed.method, signed.path, signed.headers, signed.body, signed.text, lambda: relayer.url)


def test_a_key_that_follows_from_the_usual_text_goes_on_signing(relayer: RelayerHandle) -> None:
    """After an update to the key of the default keySeed, by the account's own layer-1 key."""
    bodies, alice = Bodies(relayer), relayer.account("alice")
    alice.keys(key_seed=keys.default_seed(EXCHANGE, 1))
    alice.keys(key_seed=keys.default_seed(EXCHANGE, 2))
    taken(send(relayer, alice.sign("submit_order", bodies.order(alice, 0))))


def _wishes() -> list[tuple[str, HowSigned]]:
    found: list[tuple[str, HowSigned]] = [("submit_order", {}), ("mint_nft", {})]
    found += [("submit_transfer", {"form": form}) for form in ("memo", "no_memo", "memo_two_blanks")]
    found += [("submit_transfer", {"form": "no_memo_two_blanks"})]
    for endpoint in ("submit_withdrawal", "update_account", "transfer_nft", "withdraw_nft", "deploy_nft_contract"):
        for form in TYPED:
            found.append((endpoint, {"scheme": "both", "form": form}))  # type: ignore[typeddict-item]
            found.append((endpoint, {"scheme": "ecdsa", "form": form}))  # type: ignore[typeddict-item]
    found += [(name, {"scheme": "eddsa"}) for name in ("transfer_nft", "withdraw_nft", "deploy_nft_contract")]
    return found + [
        (name, {**how, "family": "javascript"})
        for name, how in found
        if how.get("scheme") != "ecdsa" and "form" not in how
    ]


@pytest.fixture(scope="module")
def ready() -> RelayerHandle:
    """A handle with a snapshot of a world in which carol has a deployed NFT and one that is not."""
    relayer = handle()
    bodies, carol = Bodies(relayer), relayer.account("carol")
    contract = bodies.contract_of(carol)
    taken(send(relayer, carol.sign("mint_nft", bodies.mint(carol, contract, 50))))
    relayer.clock.advance("5s")
    relayer.snapshot("minted")
    relayer.deploy(contract)
    relayer.snapshot("deployed")
    return relayer


def unsigned(relayer: RelayerHandle, endpoint: str, signer: Account) -> dict[str, Any]:
    """The body of a request that carol can make, as it is before she signs it."""
    bodies, bob = Bodies(relayer), relayer.account("bob")
    contract = bodies.contract_of(signer)
    nft = bodies.nft_of(signer)
    made: Mapping[str, Callable[[], dict[str, Any]]] = {
        "submit_order": lambda: bodies.order(signer, 0),
        "submit_transfer": lambda: bodies.transfer(signer, bob, 0),
        "submit_withdrawal": lambda: bodies.withdrawal(signer, 5),
        "update_account": lambda: bodies.update(signer, keys.derive(LAYER1, "another").public, 0),
        "mint_nft": lambda: bodies.mint(signer, contract, 6),
        "transfer_nft": lambda: bodies.move(signer, bob, nft, 7),
        "withdraw_nft": lambda: bodies.move(signer, signer, nft, 8),
        "deploy_nft_contract": lambda: bodies.deployment(signer, contract, nft["nftData"], 9),
    }
    return made[endpoint]()


def _said(part: str | HowSigned) -> str:
    return part if isinstance(part, str) else "-".join(map(str, part.values())) or "usual"


@pytest.mark.parametrize(("endpoint", "how"), _wishes(), ids=_said)
def test_every_form_is_taken_and_is_right_for_its_body_alone(
    ready: RelayerHandle, endpoint: str, how: HowSigned
) -> None:
    """Every scheme, family and form; with another validity the same signatures are wrong."""
    ready.restore("deployed" if endpoint == "withdraw_nft" else "minted")
    carol = ready.account("carol")
    body = unsigned(ready, endpoint, carol)
    signed = carol.sign(endpoint, body, **how)
    assert signed == carol.sign(endpoint, body, **how)
    changed = json.loads(signed.text)
    inner = changed.get("transfer", changed)
    inner["label" if "label" in inner else "validUntil"] += 1
    other = Signed(signed.method, signed.path, signed.headers, changed, json.dumps(changed), lambda: BASE)
    assert send(ready, other).code == 104005
    taken(send(ready, signed))


# ---- What real clients send.

_BY_PATH = {
    "/api/v3/order": "submit_order",
    "/api/v2/transfer": "submit_transfer",
    "/api/v3/user/withdrawals": "submit_withdrawal",
    "/api/v3/account": "update_account",
    "/api/v3/nft/mint": "mint_nft",
    "/api/v3/nft/withdrawal": "withdraw_nft",
}
_FORMS: dict[str, HowSigned] = {"02": {"form": "typed"}, "03": {"form": "personal"}, "none": {"form": "bare"}}
PUBLISHED = [case for case in cases() if not case.name.endswith("02 as 03")]


@pytest.mark.parametrize("case", PUBLISHED, ids=lambda case: str(case.name))
def test_the_published_signatures_are_made_again(case: Case) -> None:
    """In body and header, digit for digit, by both families."""
    relayer = RelayerHandle.of(vectors_world(case, PROTOCOL), BASE)
    endpoint, way = _BY_PATH[case.path], case.name.split()[-1]
    how: HowSigned = {**_FORMS.get(way, {})}
    if way.startswith("loopring"):
        how["family"] = "javascript"
    if endpoint == "withdraw_nft":
        how["scheme"] = "eddsa"
    given = {name: value for name, value in case.body.items() if name not in SIGNATURES}
    signed = relayer.account("alice").sign(endpoint, given, **how)
    assert signed.body == case.body
    assert signed.headers.get("X-API-SIG") == case.header


# ---- What is given back.


def test_the_text_is_the_body_and_nothing_is_filled_in(relayer: RelayerHandle) -> None:
    alice = relayer.account("alice")
    given = Bodies(relayer).order(alice, 0)
    signed = alice.sign("submit_order", {**given, "clientOrderId": "caf\u00e9"})
    assert list(signed.body) == [*given, "clientOrderId", "signatureRx", "signatureRy", "signatureS"]
    assert json.loads(signed.text) == signed.body
    assert " " not in signed.text
    assert signed.content == signed.text.encode()
    assert (signed.method, signed.url) == ("POST", BASE + "/api/v3/order")
    assert signed.headers == {"Content-Type": "application/json", "X-API-KEY": alice.api_key}


def test_a_header_is_given_where_the_endpoint_takes_one(ready: RelayerHandle) -> None:
    """A key update has no X-API-KEY; a mint and a gen-2 order have no X-API-SIG."""
    ready.restore("minted")
    carol = ready.account("carol")
    found = {name: set(carol.sign(name, unsigned(ready, name, carol)).headers) - {"Content-Type"} for name in OF_SPEC}
    both = {"X-API-KEY", "X-API-SIG"}
    only_key = {"submit_order", "mint_nft"}
    assert found == {
        name: {"X-API-SIG"} if name == "update_account" else {"X-API-KEY"} if name in only_key else both
        for name in OF_SPEC
    }
    alone = carol.sign("transfer_nft", unsigned(ready, "transfer_nft", carol), scheme="eddsa")
    assert "X-API-SIG" not in alone.headers


def test_signatures_that_were_there_are_made_anew(relayer: RelayerHandle) -> None:
    """A signed body with another amount is signed again; one of another scheme leaves none behind."""
    bodies, alice = Bodies(relayer), relayer.account("alice")
    first = alice.sign("submit_withdrawal", bodies.withdrawal(alice, 3))
    changed = {**first.body, "token": {"tokenId": LRC, "volume": str(2 * E18)}, "ecdsaSignature": "0x"}
    again = alice.sign("submit_withdrawal", changed)
    assert again.body["eddsaSignature"] != first.body["eddsaSignature"]
    assert "ecdsaSignature" not in again.body
    taken(send(relayer, again))
    assert "eddsaSignature" not in alice.sign("submit_withdrawal", changed, scheme="ecdsa").body


def test_a_client_may_leave_out_what_the_relayer_knows(ready: RelayerHandle) -> None:
    """The spec does not say that NFT bodies need addresses; their signatures cover them all the same."""
    ready.restore("minted")
    carol = ready.account("carol")
    given = unsigned(ready, "transfer_nft", carol)
    for name in ("fromAddress", "toAddress"):
        del given[name]
    signed = carol.sign("transfer_nft", given)
    assert set(signed.body) - {"eddsaSignature"} == set(given)
    taken(send(ready, signed))


def test_signing_changes_nothing_and_is_in_no_journal(relayer: RelayerHandle) -> None:
    alice = relayer.account("alice")
    before = digest(relayer.relay)
    alice.sign("submit_order", Bodies(relayer).order(alice, 0))
    assert digest(relayer.relay) == before
    assert relayer.requests.total == 0


def test_where_nothing_is_verified_it_signs_too() -> None:
    """Under `presence`, where accounts may have but names for keys, by the keys that they would have."""
    relayer = handle({})
    bodies, alice = Bodies(relayer), relayer.account("alice")
    signed = alice.sign("submit_withdrawal", bodies.withdrawal(alice, 3))
    taken(send(relayer, signed))
    verifying = handle()
    if verifying.account("alice").owner == alice.owner:
        assert verifying.account("alice").sign("submit_withdrawal", bodies.withdrawal(alice, 3)) == signed


async def test_it_works_in_a_loop_and_from_any_thread(relayer: RelayerHandle) -> None:
    alice = relayer.account("alice")
    body = Bodies(relayer).order(alice, 0)
    assert await asyncio.to_thread(alice.sign, "submit_order", body) == alice.sign("submit_order", body)


def test_the_tables_of_what_can_be_signed_agree() -> None:
    """Each kind that the relayer verifies can be signed; families and forms are those of the signing room."""
    assert set(SIGNABLE) == {BY_ID[row].name for row in SIGNED}
    assert set(FAMILIES) == set(Family)
    hints = get_type_hints(HowSigned)
    assert hints["family"].__args__ == FAMILIES
    assert hints["form"].__args__ == (*TYPED_FORMS, *TEXT_FORMS)
    assert set(hints["scheme"].__args__) == {scheme for kind in SIGNABLE.values() for scheme in kind.schemes}


# ---- What is wrong is named.

NEEDED = {
    "submit_order": "exchangeId orderId accountId tokenSId tokenBId amountS amountB validSince validUntil maxFeeBips buy label",
    "submit_transfer": "exchangeId sender receiver token amount tokenF amountF label nonce",
    "submit_withdrawal": "exchange accountId owner token.tokenId token.volume maxFee.tokenId maxFee.volume to validUntil "
    "storageId",
    "update_account": "exchange accountId owner publicKey.x publicKey.y maxFee.tokenId maxFee.volume validUntil nonce",
    "mint_nft": "exchange minterId toAccountId tokenAddress nftId amount maxFee.tokenId maxFee.amount validUntil storageId",
    "transfer_nft": "exchange fromAccountId toAccountId token.nftData token.amount maxFee.tokenId maxFee.amount validUntil "
    "storageId",
    "withdraw_nft": "exchange fromAccountId token.nftData token.amount maxFee.tokenId maxFee.amount validUntil storageId",
    "deploy_nft_contract": "transfer transfer.exchange transfer.payerId transfer.payeeId transfer.token.tokenId "
    "transfer.token.volume transfer.maxFee.tokenId transfer.maxFee.volume transfer.payeeAddr transfer.validUntil "
    "transfer.storageId",
}
"""What the signatures cover, and only the sender knows."""


@pytest.mark.parametrize(
    ("endpoint", "path"), [(name, path) for name, paths in NEEDED.items() for path in paths.split()]
)
def test_a_field_that_signing_needs_is_named(ready: RelayerHandle, endpoint: str, path: str) -> None:
    """Where it is absent, and where it is no value of its kind."""
    ready.restore("minted")
    carol = ready.account("carol")
    for value in (None, ["!"]):
        body = json.loads(json.dumps(unsigned(ready, endpoint, carol)))
        *outer, name = path.split(".")
        place = body
        for key in outer:
            place = place[key]
        del place[name]
        if value is not None:
            place[name] = value
        with pytest.raises(ControlError) as refused:
            carol.sign(endpoint, body)
        assert refused.value.status == 400
        assert refused.value.field == f"body.{path}"
        assert refused.value.error.startswith(f"{path} is missing" if value is None else f"{path}: ")


def test_a_number_that_typed_data_cannot_hold_is_named(ready: RelayerHandle) -> None:
    """What layer 2 signs may have more bits than the type of the owner's data."""
    ready.restore("minted")
    carol = ready.account("carol")
    body = Bodies(ready).withdrawal(carol, 5)
    body["token"]["volume"] = str(1 << 96)
    with pytest.raises(
        ControlError, match=r"Withdrawal of the owner's signature: amount does not fit .* uint96 \(body\)"
    ):
        carol.sign("submit_withdrawal", body)
    nft = unsigned(ready, "transfer_nft", carol)
    nft["token"]["amount"] = str(1 << 96)
    assert "eddsaSignature" in carol.sign("transfer_nft", nft, scheme="eddsa").body


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"endpoint": "submit_ordr"}, r"'submit_ordr' is not an endpoint \(endpoint\); meant: 'submit_order'"),
        ({"endpoint": "get_orders"}, "'get_orders' is not signed"),
        ({"scheme": "ecdsa"}, r"submit_order is not signed so \(scheme\); meant: eddsa"),
        ({"scheme": "all"}, "'all'"),
        ({"family": "rust"}, r"'rust': no such family of clients \(family\); meant: one of python, javascript"),
        ({"form": "typed"}, "no form: the owner signs nothing here"),
        ({"endpoint": "submit_transfer", "form": "typed"}, "meant: one of memo, no_memo"),
        ({"endpoint": "submit_withdrawal", "scheme": "eddsa"}, "meant: one of both, ecdsa"),
        ({"endpoint": "transfer_nft", "scheme": "ecdsa", "family": "python"}, "no family, or scheme both"),
        ({"url": "127.0.0.1:4627"}, r"is not a base address \(url\); meant: where the client finds the relayer"),
        ({"url": BASE + "/api/v3/order"}, "is not a base address"),
        ({"url": BASE + "/?a=b"}, "is not a base address"),
        ({"account": "alise"}, "there is no account 'alise'"),
        ({"account": True}, "an account goes by a name or a number"),
        ({"account": None}, "account is missing"),
        ({"body": None}, "body is missing"),
        ({"body": []}, "meant: an object"),
        ({"shceme": "both"}, r"^unknown field 'shceme'; meant: scheme$"),
    ],
)
def test_a_wrong_wish_is_told_what_was_meant(relayer: RelayerHandle, wish: dict[str, Any], words: str) -> None:
    alice = relayer.account("alice")
    right = {"account": "alice", "endpoint": "submit_order", "body": Bodies(relayer).order(alice, 0)}
    with pytest.raises(ControlError, match=words):
        relayer.control("POST", "sign", {**right, **wish})


def test_an_address_is_asked_for_only_where_it_is_signed(ready: RelayerHandle) -> None:
    ready.restore("minted")
    nowhere = RelayerHandle.of(ready.relay)
    carol = nowhere.account("carol")
    carol.sign("submit_order", unsigned(ready, "submit_order", carol))
    deployment = unsigned(ready, "deploy_nft_contract", carol)
    with pytest.raises(ControlError, match="url is missing: the signature of deploy_nft_contract covers the address"):
        carol.sign("deploy_nft_contract", deployment)
    signed = carol.sign("deploy_nft_contract", deployment, url=BASE + "/")
    assert signed.url == BASE + "/api/v3/nft/deployTokenAddress"
    taken(send(ready, signed))
    deployment["transfer"]["memo"] = "x" * 16384
    with pytest.raises(ControlError, match="too long to be signed"):
        carol.sign("deploy_nft_contract", deployment, url=BASE)


def test_who_has_no_key_is_told_so(relayer: RelayerHandle) -> None:
    """The owner of an account that is named in the scenario, whose layer-1 key is not given."""
    relayer.reset(
        scenario_text="format: 1\nextends: default\naccounts:\n  - {name: dave, accountId: 10009, owner: '0x"
        + "ab" * 20
        + "', balances: {LRC: '5'}}\n",
        choices=PROTOCOL,
    )
    dave = relayer.account("dave")
    body = Bodies(relayer).withdrawal(dave, 0)
    with pytest.raises(ControlError, match="dave cannot sign: nobody here has the layer-1 key of its owner") as refused:
        dave.sign("submit_withdrawal", body)
    assert refused.value.status == 409
    dave.keys(public_key_x="0x1", public_key_y="0x2")
    with pytest.raises(ControlError, match=r"the layer-2 key that belongs to its public key.*scheme ecdsa"):
        dave.sign("submit_withdrawal", body)


ODD = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 2**260) | st.floats() | st.text(max_size=5) | st.just("0x" + "f" * 64),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["x", "tokenId", "nftData"]), inner),
    max_leaves=4,
)
_FIELDS = sorted({path.split(".")[0] for paths in NEEDED.values() for path in paths.split()} | {"toAccountId"})


@settings(max_examples=100)
@given(
    endpoint=st.sampled_from(sorted(OF_SPEC)),
    odd=st.dictionaries(st.sampled_from(_FIELDS), ODD, min_size=1, max_size=3),
    inner=st.booleans(),
)
def test_any_body_is_signed_or_refused(ready: RelayerHandle, endpoint: str, odd: dict[str, Any], inner: bool) -> None:
    """A status and a sentence, never a failure; and what is answered is JSON."""
    carol = ready.account("carol")
    body = unsigned(ready, endpoint, carol)
    place = body["transfer"] if inner and "transfer" in body else body
    place.update(odd)
    wish = {"account": "carol", "endpoint": endpoint, "body": body, "url": BASE}
    answer = control(_relay_of(ready), "POST", "sign", wish)
    assert answer.status in (200, 400)
    assert "text" in answer.json or answer.json["field"].startswith("body")


def _relay_of(relayer: RelayerHandle) -> Relay:
    return relayer.relay
