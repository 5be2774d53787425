"""Wishes of the guide: fees, requests, blocks, NFTs and layer 1. See `listing` for their form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.examples.wishes.bot import LRC_FEE

if TYPE_CHECKING:
    from mockrelay.testing import RelayerHandle
    from tests.examples.wishes.bot import Bot


def test_raised_fee(relayer: RelayerHandle, bot: Bot) -> None:
    """A fee rises between the quote and the request."""
    relayer.set_fee("withdrawal", "LRC", factor=4)

    answer = bot.withdraw(maxFee=LRC_FEE)
    assert "is below the fee" in answer.json["resultInfo"]["message"]


def test_failed_withdrawal(relayer: RelayerHandle, bot: Bot) -> None:
    """A withdrawal is accepted and fails later."""
    relayer.fault("submit_withdrawal", outcome="failed")
    withdrawal = bot.withdraw()
    relayer.seal_block()

    assert relayer.submission(withdrawal.json["hash"]).status == "failed"


def test_slow_withdrawal(relayer: RelayerHandle, bot: Bot) -> None:
    """A withdrawal stays `processing` until the test says so."""
    withdrawal = bot.withdraw()
    relayer.submission(withdrawal.json["hash"]).advance("processed")  # or "failed"

    assert relayer.submission(withdrawal.json["hash"]).status == "processed"


def test_expired_request(relayer: RelayerHandle, bot: Bot) -> None:
    """A request is sent after its `validUntil`."""
    relayer.clock.advance("2d")

    assert bot.withdraw().code != 0


def test_block_that_is_not_final(relayer: RelayerHandle, bot: Bot) -> None:
    """A block is sealed and not final yet."""
    bot.transfer()
    block_id = relayer.seal_block()
    relayer.finalize_blocks()  # when it should be final; or relayer.clock.advance("120s")

    assert bot.get("/api/v3/block/getBlock", id="finalized").json["blockId"] == block_id


def test_failed_mint(relayer: RelayerHandle, minter: Bot) -> None:
    """A mint is accepted and fails."""
    relayer.fault("mint_nft", outcome="failed")
    mint = minter.mint()

    relayer.clock.advance("1s")
    assert relayer.submission(mint.json["hash"]).status == "failed"


@pytest.mark.relayer(scenario="slow_deployment")
def test_slow_deployment(relayer: RelayerHandle, minter: Bot) -> None:
    """Deploying an NFT contract takes a quarter of an hour (scenario `slow_deployment`), or as long as the test says."""
    minter.deploy(minter.mint().json["raw_data"]["nftData"])
    assert minter.code_of_contract() == "0x"
    relayer.deploy(minter.contract())

    assert minter.code_of_contract() != "0x"


def test_failed_deployment(relayer: RelayerHandle, minter: Bot) -> None:
    """Deploying an NFT contract fails."""
    relayer.fault("deploy_nft_contract", outcome="failed")

    minter.deploy(minter.mint().json["raw_data"]["nftData"])
    relayer.clock.advance("15s")
    assert minter.code_of_contract() == "0x"


def test_layer1_down(relayer: RelayerHandle, bot: Bot) -> None:
    """Layer 1 is down."""
    relayer.layer1("down")  # and relayer.layer1("up")

    assert bot.get("/api/v2/recommendedGasPrice").code == 105001
