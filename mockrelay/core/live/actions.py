"""The functions of the rows of the profile `live`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from mockrelay.core.blocks.queries import get_block
from mockrelay.core.call import Call
from mockrelay.core.live import (
    accounts,
    cancels,
    exchange,
    fees,
    histories,
    keys,
    layer1,
    market_data,
    order_views,
    orders,
    trades,
    transfers,
)

if TYPE_CHECKING:
    from mockrelay.core.context import Context

LIVE_ACTIONS: Mapping[str, Callable[[Context, Call], Any]] = MappingProxyType(
    {
        "get_timestamp_v3": exchange.get_timestamp_v3,
        "get_tokens_v3": exchange.get_tokens_v3,
        "get_markets_v3": exchange.get_markets_v3,
        "get_mix_markets": exchange.get_mix_markets,
        "get_exchange_info_v3": exchange.get_exchange_info_v3,
        "get_amm_pools": exchange.get_amm_pools,
        "get_account_v3": accounts.get_account_v3,
        "get_api_key_v3": keys.get_api_key_v3,
        "post_api_key_v3": keys.post_api_key_v3,
        "update_account_live": transfers.update_account_live,
        "get_storage_id": keys.get_storage_id,
        "get_balances_v3": keys.get_balances_v3,
        "get_depth_v3": market_data.get_depth_v3,
        "get_mix_depth": market_data.get_depth_v3,
        "get_ticker_v3": market_data.get_ticker_v3,
        "get_mix_ticker": market_data.get_ticker_v3,
        "get_candlestick_v3": market_data.get_candlestick_v3,
        "get_mix_candlestick": market_data.get_candlestick_v3,
        "get_trades_v3": trades.get_trades,
        "get_prices_v3": exchange.get_prices_v3,
        "get_nft_fee_live": fees.get_nft_fee_live,
        "get_offchain_fee": fees.get_offchain_fee,
        "get_order_rate_amount": fees.get_order_rate_amount,
        "get_nft_order_rate_amount": fees.get_nft_order_rate_amount,
        "submit_order_gen3": orders.submit_order_gen3,
        "get_order_v3": order_views.get_order_v3,
        "get_orders_v3": order_views.get_orders_v3,
        "cancel_order_v3": cancels.cancel_order_v3,
        "cancel_orders_v3_by_hash": cancels.cancel_by_hash,
        "cancel_orders_v3_by_client_id": cancels.cancel_by_client_id,
        "submit_transfer_v3": transfers.submit_transfer_v3,
        "submit_withdrawal_live": transfers.submit_withdrawal_live,
        "get_transfers_v3": histories.get_transfers_v3,
        "get_withdrawals_v3": histories.get_withdrawals_v3,
        "get_deposits_v3": histories.get_deposits_v3,
        "get_create_info": histories.get_create_info,
        "get_update_info": histories.get_update_info,
        "get_transactions_v3": histories.get_transactions_v3,
        "get_user_trades_v3": trades.get_user_trades,
        "get_block_live": get_block,
        "get_eth_balance_v3": layer1.get_eth_balance_v3,
        "get_token_balances_v3": layer1.get_token_balances_v3,
        "get_allowances_v3": layer1.get_allowances_v3,
        "get_eth_nonce_v3": layer1.get_eth_nonce_v3,
        "get_gas_price_v3": layer1.get_gas_price_v3,
        "resolve_ens": accounts.resolve_ens,
        "get_wallet_type": accounts.get_wallet_type,
        "get_counterfactual_info": accounts.get_counterfactual_info,
        "get_ws_key_v3": keys.get_ws_key_v3,
        "get_ws_key_v2": keys.get_ws_key_v2,
        "get_timestamp_v2": exchange.get_timestamp_v2,
        "post_timestamp_v2": exchange.get_timestamp_v2,
        "get_markets_v2": exchange.get_markets_v2,
        "get_api_key_v2": keys.get_api_key_v2,
        "post_api_key_v2": keys.post_api_key_v2,
        "get_balances_v2": keys.get_balances_v2,
        "get_orders_live": order_views.get_orders_live,
        "submit_order_v2": orders.submit_order_v2,
        "submit_orders_v2": orders.submit_batch,
        "get_order_v2": order_views.get_order_v2,
        "cancel_orders_v2": cancels.cancel_orders_v2,
        "cancel_orders_v2_by_hash": cancels.cancel_by_hash,
        "cancel_orders_v2_by_client_id": cancels.cancel_by_client_id,
        "get_transfers_v2": histories.get_transfers_v2,
        "get_deposits_v2": histories.get_deposits_v2,
        "get_withdrawals_v2": histories.get_withdrawals_v2,
        "get_user_trades_v2": trades.get_user_trades,
        "get_fee_rates_v2": fees.get_fee_rates_v2,
        "get_trades_v2": trades.get_trades,
        "get_prices_v2": exchange.get_prices_v2,
        "get_eth_nonce_v2": layer1.get_eth_nonce_v2,
        "get_dex_nonce": accounts.get_dex_nonce,
    }
)
