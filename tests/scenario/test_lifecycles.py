"""`lifecycles` and `blocks`: what states wait for, and what is refused."""

from __future__ import annotations

import pytest

from mockrelay.core.config import BlockRules, Config, Stage
from mockrelay.scenario import load_text
from mockrelay.spec.request_kinds import AfterUnit, Duration, RequestKind
from mockrelay.spec.vocab import RequestStatus
from tests.scenario.texts import HEAD, marked, refusal

DURATION = "a duration such as 15s (units ms, s, m, h, d)"
ANY_AFTER = DURATION + " or {blocks: n} or {polls: n} or hand"
DURATIONS = {
    "250ms": Duration(AfterUnit.TIME, 250),
    "1h30m": Duration(AfterUnit.TIME, 5_400_000),
    "{blocks: 3}": Duration(AfterUnit.BLOCKS, 3),
    "{polls: 2}": Duration(AfterUnit.POLLS, 2),
    "hand": Duration(AfterUnit.HAND, 0),
}
TWO_STATES = ["transfer", "withdrawal", "account_update"]
ONE_STATE = ["nft_mint", "nft_transfer", "nft_withdrawal", "nft_deploy"]


def config_of(text: str) -> Config:
    return load_text(HEAD + text, "w.yaml").config


@pytest.mark.parametrize(
    ("kind", "after", "duration"),
    [
        (kind, after, duration)
        for kind in TWO_STATES + ONE_STATE
        for after, duration in DURATIONS.items()
        if (kind, after) != ("transfer", "{polls: 2}")  # nobody can ask after a transfer
    ],
)
def test_a_state_waits_for_time_blocks_polls_or_a_hand(kind: str, after: str, duration: Duration) -> None:
    states = ["received", "processing"] if kind in TWO_STATES else ["processing"]
    said = ", ".join(f"{state}: {{after: {after}}}" for state in states)
    found = config_of(f"lifecycles: {{{kind}: {{{said}}}}}\n").lifecycles[RequestKind(kind)]
    assert found == dict.fromkeys(map(RequestStatus, states), Stage(duration))


def test_a_kind_that_names_one_state_leaves_the_other_as_it_is() -> None:
    found = config_of("lifecycles: {withdrawal: {received: {after: 5s}}}\n").lifecycles[RequestKind.WITHDRAWAL]
    assert found == {
        RequestStatus.RECEIVED: Stage(Duration(AfterUnit.TIME, 5000)),
        RequestStatus.PROCESSING: Stage(Duration(AfterUnit.BLOCKS, 1)),
    }


@pytest.mark.parametrize(
    "states",
    [
        "received: {after: 5s, then: failed}",
        "received: {after: {blocks: 1}, then: failed}",
        "processing: {after: {blocks: 1}, then: failed}",
        "processing: {after: 1h, then: failed}",
        "processing: {after: {polls: 5}, then: failed}",
        "processing: {after: hand, then: failed}",
        "received: {after: {polls: 2}}, processing: {after: {blocks: 1}, then: failed}",
    ],
)
def test_a_request_may_fail_before_its_block_or_with_it(states: str) -> None:
    stages = config_of(f"lifecycles: {{withdrawal: {{{states}}}}}\n").lifecycles[RequestKind.WITHDRAWAL]
    assert [stage.fails for stage in stages.values()].count(True) == 1


LATE = "found a failure after the block that holds the request; meant one that comes with it or before"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("withdrawal: {processing: {after: {blocks: 2}, then: ^failed}}", LATE),
        ("withdrawal: {received: {after: {blocks: 1}}, processing: {after: {blocks: 1}, then: ^failed}}", LATE),
        ("withdrawal: {received: {after: {blocks: 1}}, processing: {after: 0s, then: ^failed}}", LATE),
        ("nft_mint: {processing: {after: {blocks: 9}, then: ^failed}}", LATE),
        ("nft_mint: {processing: {after: 1s, then: ^processed}}", "found 'processed'; meant failed"),
        ("nft_mint: {^received: {after: 1s}}", "found the unknown name 'received'; meant processing"),
        ("transfer: {^recieved: {after: 1s}}", "found the unknown name 'recieved'; meant 'received'"),
        ("^nft_burn: {}", "found the unknown name 'nft_burn'; meant 'nft_mint'"),
        ("^cancle: {}", "found the unknown name 'cancle'; meant 'cancel'"),
        ("nft_mint: {processing: {^afer: 1s}}", "found the unknown key 'afer'; meant 'after'"),
        ("nft_mint: {processing: {after: ^15}}", f"found the number 15; meant {ANY_AFTER}"),
        ("nft_mint: {processing: {after: ^{}}}", f"found a map of nothing; meant {ANY_AFTER}"),
        ("nft_mint: {processing: {after: ^{polls: 1, blocks: 1}}}", f"found a map of 'polls' and 'blocks'; meant {ANY_AFTER}"),
        ("nft_mint: {processing: {after: ^{hand: 1}}}", f"found a map of 'hand'; meant {ANY_AFTER}"),
        ("nft_mint: {processing: {after: {polls: ^0}}}", "found the number 0; meant a whole number from 1 to 4294967295"),
        ("transfer: {processing: {after: ^{polls: 2}}}", f"found a map of 'polls'; meant {DURATION} or {{blocks: n}} or hand"),
        ("cancel: {cancelling: {after: ^15}}", f"found the number 15; meant {DURATION} or hand"),
        ("cancel: {cancelling: {after: ^{blocks: 1}}}", f"found a map; meant {DURATION} or hand"),
        ("cancel: {cancelling: {after: 1s, ^then: failed}}", "found the unknown key 'then'; meant after"),
    ],
)  # fmt: skip
def test_lifecycles_refused(text: str, message: str) -> None:
    """The mark ^ stands where the message points."""
    plain, place = marked(f"{HEAD}lifecycles: {{{text}}}")
    assert refusal(plain) == f"w.yaml:{place}: {message}"


def test_blocks_become_final_by_time_or_by_the_blocks_on_top() -> None:
    found = config_of(
        "blocks:\n  seal: {every: 1m, size: 3}\n  confirm: {after: {blocks: 2}}\n  finalize: {after: 1d}\n"
    ).blocks
    assert found == BlockRules(60_000, 3, Duration(AfterUnit.BLOCKS, 2), Duration(AfterUnit.TIME, 86_400_000))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seal: ^often", "found 'often'; meant hand, or a map of every and size"),
        ("seal: {every: ^0s}", "found '0s'; meant an interval above zero"),
        ("seal: {every: ^0h0.0s}", "found '0h0.0s'; meant an interval above zero"),
        ("seal: {every: ^10}", f"found the number 10; meant {DURATION}, or none"),
        ("seal: {size: ^0}", "found the number 0; meant a whole number from 1 to 4294967295, or none"),
        ("seal: ^{size: none, every: none}", "found neither an interval nor a size; meant one of every, size, or hand"),
        ("seal: {^evry: 1s}", "found the unknown key 'evry'; meant 'every'"),
        ("confirm: ^30s", "found '30s'; meant a map"),
        ("confirm: {after: ^hand}", f"found 'hand'; meant {DURATION} or {{blocks: n}}"),
        ("finalize: {after: ^{polls: 1}}", f"found a map of 'polls'; meant {DURATION} or {{blocks: n}}"),
    ],
)  # fmt: skip
def test_blocks_refused(text: str, message: str) -> None:
    """The mark ^ stands where the message points."""
    plain, place = marked(f"{HEAD}blocks: {{{text}}}")
    assert refusal(plain) == f"w.yaml:{place}: {message}"
