"""The whole run, act by act, in the order in which they are played."""

from __future__ import annotations

from mockrelay.check.later import LATER
from mockrelay.check.limits import LIMITS
from mockrelay.check.market import FEES, MARKET
from mockrelay.check.nfts import MINTS, NFTS
from mockrelay.check.orders import ORDERS
from mockrelay.check.reads import READS
from mockrelay.check.refusals import DEPLOY_REFUSALS, READ_REFUSALS, WRITE_REFUSALS
from mockrelay.check.rows import Act
from mockrelay.check.silences import SILENCES
from mockrelay.check.trading import TRADING
from mockrelay.check.transfers import TRANSFERS
from mockrelay.check.withdrawals import UPDATES, WITHDRAWALS

ACTS: tuple[Act, ...] = (
    *READS,
    FEES,
    *TRADING,
    *SILENCES,
    *MARKET,
    *ORDERS,
    *TRANSFERS,
    *WITHDRAWALS,
    MINTS,
    DEPLOY_REFUSALS,
    *NFTS,
    *READ_REFUSALS,
    *WRITE_REFUSALS,
    *LATER,
    *UPDATES,
    *LIMITS,
)
BASIC = frozenset(("exchange", "account", "fee rates", "NFT look-ups", "mints"))
"""Acts that are always played: they find out what the others are about."""
