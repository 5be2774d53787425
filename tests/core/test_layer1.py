"""What arrives on layer 1."""

from __future__ import annotations

from tests.support.calls import call, ready, valid_request
from tests.support.client import done
from tests.support.worlds import world


def test_withdrawn_nfts_add_up_with_their_owner() -> None:
    """Under the contract and the id, in small letters, and only when the withdrawal is processed."""
    relay = ready(world(), "withdraw_nft")
    one = valid_request("withdraw_nft")
    nft = relay.world.nfts[one.fields["token"]["nftData"].lower()]
    key = (one.fields["toAddress"].lower(), nft.token_address.lower(), nft.nft_id)
    other = one.but(storageId=one.fields["storageId"] + 1, token={**one.fields["token"], "amount": "2"})
    for count, request in ((int(one.fields["token"]["amount"]), one), (2, other)):
        before = relay.world.layer1.nfts.get(key, 0)
        answer = call(relay, request).json
        if answer["raw_data"]["status"] != "processed":
            assert relay.world.layer1.nfts.get(key, 0) == before
            done(relay, "POST", f"submissions/{answer['hash']}/advance", {"to": "processed"})
        assert relay.world.layer1.nfts == {key: before + count}
