"""What a client of the specification meets under the profile `live`: which modules run under it too, and where answers differ.

The live profile's page names the differences that a client of the specification may meet: C3, C4, C5, C12 to C14 and C19.
All other rows here are of what the page says of single calls (E and F), or of requests that the specification refuses and
the profile's looser reading takes (L).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from mockrelay.spec.profiles import PROFILES

_ALLOWED = {
    "account.key_text": "C3",
    "gas_price.unit": "C4",
    "order_id.json": "C5",
    "auth.key_on_unlisted": "C12",
    "storage_id.space": "C14",
    "depth.level_above": "C19",
}
"""The profile's own options that hold in these runs, with the difference that each makes."""
CHOICES: Mapping[str, str] = {
    key: PROFILES["spec"].defaults[key] for key in PROFILES["live"].options if key not in _ALLOWED
}
"""All else that the specification leaves open stands as the tests have it: they say by which option they judge."""

TESTS = (
    "orders/",
    "requests/",
    "signatures/test_published.py::test_a_published",
    "signatures/test_session.py",
    "test_answers.py",
    "test_codes.py",
    "test_control.py",
    "test_faults.py",
    "test_layer1.py",
    "test_limits.py",
)
"""Those that run a second time. Not among them: the options one by one, commands, drawn and hostile calls, and the shape of
wrong bodies, which the profile reads in its own way.
"""


_FLAT = {"status", "isIdempotent"}
MORE: Mapping[str, set[str]] = {
    "OrderDetail": {"orderType"},  # F11, as it was recorded
    "NftInfo": {"royaltyPercentage", "originalRoyaltyPercentage", "createdAt"},  # E37, E38
    "NftFeeItem": {"tokenId"},  # E19
    "NftMintAnswer": {*_FLAT, "nftTokenId", "nftData", "accountId", "storageId"},  # C8, E32
    "NftMoveAnswer": _FLAT,  # C8, E33, E34
}
"""By object of the specification, the fields that it has beside those."""


DIFFERENCES: Mapping[str, tuple[str, ...]] = {
    "C3: keys are in decimal digits": (
        "test_control.py::test_public_key_and_nonce_are_set_by_hand",
        "requests/test_keys.py::test_an_update_that_fails_after_another",
    ),
    "C4: the gas price is in wei": ("test_layer1.py::test_what_is_written_to_layer_1_is_read",),
    "C5: the next id is a number": (
        "orders/test_frozen_money.py::test_a_failed_freeze_leaves_nothing_behind_102014",
        "orders/test_ids.py::test_(an_id_ahead|asking_for_an_id|get_order_id|of_twenty_orders)",
        "orders/test_lifecycle.py::test_held_and_released_as_(active|failed)",
        "test_answers.py::test_fields_and_types(?=.*-get_order_id)",
    ),
    "C12: without a key, or with a wrong one, the call is answered": (
        r"test_codes.py::test_natural_cause\[live-get_nft_data-104",
        "test_limits.py::test_refused_calls_count",
        "test_limits.py::test_no_other_answer_takes_the_form",
    ),
    "C13: a submission answers processing": (
        "requests/test_funds.py::test_submit_withdrawal_is_processed_with_its_block",
        "requests/test_funds.py::test_submit_withdrawal_that_fails_gives_all_back",
        "requests/test_keys.py::test_update_account_goes_without_an_api_key",
    ),
    "C18: calls of NFTs have a limit, 5 a second": (
        "test_limits.py::test_endpoint_without_a_limit(?=.*-(get_nft_fee|mint_nft|transfer_nft|withdraw_nft|compute_token_address))",
    ),
    "F11: status 200, beyond the limit too": (
        r"test_codes.py::test_natural_cause\[live-get_orders-100000-too often",
        "test_limits.py::test_last_allowed_first_refused(?=.*get_orders)",
        "test_limits.py::test_other_caller_and_other_endpoint(?=.*get_orders)",
        "test_limits.py::test_a_ban_has_the_form_that_is_chosen",
    ),
    "C19: a level above the highest is the highest": (
        "test_codes.py::test_natural_cause(?=.*get_depth-108001-level too large)",
    ),
    "C25: a short validity is no finding": ("orders/test_time.py::test_a_month_of_validity(?=.*-2505600-102120)",),
    "F11: an order has its orderType": ("orders/test_lifecycle.py::test_open_order_in_every_view",),
    "E29: the body has a signature, so none is due in the header": (
        r"test_codes.py::test_natural_cause\[live-submit_withdrawal-104004-no signature header",
        r"test_codes.py::test_refused_calls_leave_no_trace\[live-submit_withdrawal",
        "test_faults.py::test_instead_comes_after_key_and_signature",
    ),
    "E32: codes of requests, 102021 for a used id, 102022 for another's minter, 108003 for another's contract": (
        "requests/test_funds.py::test_what_is_in_flight_cannot_be_spent_twice",
        "requests/test_nft.py::test_a_rule(?=.*mint_nft.*minterId)",
        "requests/test_nft.py::test_a_rule(?=.*mint_nft.*tokenAddress)",
    ),
    "E33: a fee too low is 114002": ("requests/test_nft.py::test_(a_fee_that_rises|one_wei_below.*_nft)",),
    "L3: a status may be empty, or in capitals": (
        "orders/test_statuses.py::test_get_orders_with_a_word(?=.*-(PROCESSED)?])",
    ),
    "L11: an id may be short": (r"requests/test_nft.py::test_mint_nft_with_another_form(?=.* \(65\))",),
    "3.2: other addresses may be signed": ("signatures/test_session.py::test_a_header_for_another_address",),
    "a reset takes the profile's own scheme of signatures": ("orders/test_pages.py::test_a_page_can_be_cut",),
}
"""By what makes them fail under `live`, the tests that must fail there: patterns of how their ids begin."""


def difference_of(test_id: str) -> str | None:
    """What makes a test differ under `live`; None where it must pass."""
    if not re.search(r"[\[-]live[]-]", test_id):
        return None
    return next((why for why, tests in DIFFERENCES.items() if any(re.match(each, test_id) for each in tests)), None)
