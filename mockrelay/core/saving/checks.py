"""Consistency checks of a saved world: references exist, blocks and transactions agree. All raise InvalidSavedState."""

from __future__ import annotations

from mockrelay.core.blocks.pending import FULL, INTERVAL
from mockrelay.core.errors import InvalidInput
from mockrelay.core.events import Event, EventKind
from mockrelay.core.ledger import HOUSE_ID
from mockrelay.core.models import Deposit, PastTx, PendingTx, Request, SpotTrade
from mockrelay.core.requests.checks import ANY_TOKEN
from mockrelay.core.requests.nft import FIRST_NFT_TOKEN_ID
from mockrelay.core.requests.nft_queries import contract_at
from mockrelay.core.saving.codec import InvalidSavedState, require, require_all_in, require_same_names
from mockrelay.core.world import World, check_choices
from mockrelay.spec.request_kinds import KINDS, Effect, FeeKind, TxType
from mockrelay.spec.vocab import BlockStatus, RequestStatus
from mockrelay.suggest import in_quotes

_WITHOUT_RECEIVER = (Effect.LEAVE, Effect.CHANGE_KEY)
_ORDER_EVENTS = (EventKind.ORDER_EXPIRES, EventKind.ORDER_STARTS, EventKind.CANCEL_DONE)
_FINALITY = {status: place for place, status in enumerate(BlockStatus)}


def check_names(world: World) -> None:
    """Check choices, accounts, NFTs, fees, and the ids that balances and storage ids refer to."""
    config, accounts = world.config, world.accounts
    require(world.now_ms >= world.start_ms, ".now_ms", world.now_ms, f"a moment not before the start, {world.start_ms}")
    require_same_names(".choices", world.choices, config.profile.defaults)
    try:
        check_choices(world.choices)
    except InvalidInput as error:
        raise InvalidSavedState(f".choices[{in_quotes(error.field)}]", error.found, error.expected) from None
    require_same_names(".decisions_met", world.decisions_met, config.decisions)
    for index, account in enumerate(accounts.values()):
        where = f".accounts[{index}]"
        require(account.account_id != HOUSE_ID, f"{where}.account_id", HOUSE_ID, "another: 0 is the house")
        mine = world.account_of_owner[account.owner.lower()] == account.account_id
        require(mine, f"{where}.owner", account.owner, "an owner without another account")
        is_own = not account.api_key or world.account_of_key[account.api_key] == account.account_id
        require(is_own, f"{where}.api_key", "the key of another account", "a key of its own")
    require_all_in(".next_nonce", world.next_nonce, accounts, "an account")
    for number, nft in enumerate(world.nfts.values()):
        where, due = f".nfts[{number}]", FIRST_NFT_TOKEN_ID + number
        require(nft.nft_token_id == due, f"{where}.nft_token_id", nft.nft_token_id, f"{due}, as its place says")
        require(nft.minter_id in accounts, f"{where}.minter_id", nft.minter_id, "an account")
        require(bool(nft.mints), f"{where}.mints", "nothing", "the requests that minted it")
        require_all_in(f"{where}.mints", nft.mints, world.requests, "a request")
    _check_collections(world)
    tokens = _tokens(world)
    require_same_names(".fees", world.fees, tuple(FeeKind))
    for kind, fees in world.fees.items():
        require_all_in(f".fees[{in_quotes(kind.value)}]", fees, config.tokens, "a token of the scenario")
    owners = {HOUSE_ID, *accounts}
    for where, held in ((".ledger.balances", world.ledger.balances), (".orders.highest_id", world.orders.highest_id)):
        require_all_in(where, (owner for owner, _ in held), owners, "an account, or the house, 0")
        require_all_in(where, (token for _, token in held), tokens, "a token that is known")
    for name, money in (("fees_wei", world.ledger.fees_wei), ("deposited_wei", world.ledger.deposited_wei)):
        require_all_in(f".ledger.{name}", money, tokens, "a token that is known")
    require_all_in(".storage_ids", (owner for owner, _, _ in world.storage_ids), accounts, "an account")
    require_all_in(".storage_ids", (token for _, token, _ in world.storage_ids), {ANY_TOKEN, *tokens}, "a token or -1")


def _check_collections(world: World) -> None:
    for number, collection in enumerate(world.collections.values()):
        where, id_ = f".collections[{number}]", collection.collection_id
        require(id_ == number + 1, f"{where}.collection_id", id_, f"{number + 1}, as its place says")
        owner = world.accounts.get(collection.account_id)
        require(owner is not None, f"{where}.account_id", collection.account_id, "an account")
        due = "" if owner is None else contract_at(world.config.exchange, owner.owner, collection.base_uri).lower()
        require(
            collection.contract == due, f"{where}.contract", collection.contract, f"{due}, of its owner and base_uri"
        )


def check_requests(world: World) -> None:
    """Check that what a request refers to exists, and that its state is one of its kind and agrees with its block."""
    tokens, nft_tokens = world.config.tokens, {nft.nft_data: nft.nft_token_id for nft in world.nfts.values()}
    for index, request in enumerate(world.requests.values()):
        where, kind = f".requests[{index}]", request.kind
        row = KINDS[kind]
        require(request.account_id in world.accounts, f"{where}.account_id", request.account_id, "an account")
        require(
            _has_receiver(world, request), f"{where}.to_account_id", request.to_account_id, f"whom a {kind} goes to"
        )
        require(
            request.fee_token_id in tokens, f"{where}.fee_token_id", request.fee_token_id, "a token of the scenario"
        )
        if row.of_nft:
            require(request.nft_data in nft_tokens, f"{where}.nft_data", request.nft_data, "an NFT that was minted")
            right = request.token_id == nft_tokens[request.nft_data or ""]
        else:
            require(request.nft_data is None, f"{where}.nft_data", request.nft_data, f"nothing for a {kind}")
            right = request.token_id in tokens
        require(right, f"{where}.token_id", request.token_id, "the NFT's token, or one of the scenario")
        changes_key = row.effect is Effect.CHANGE_KEY
        require(
            (request.key_change is not None) is changes_key, f"{where}.key_change", kind, "it with account updates only"
        )
        require(request.funded or request.must_fail, f"{where}.must_fail", "false", "true where nothing was paid")
        knows = not request.is_open or request.status in world.config.lifecycles[kind]
        require(knows, f"{where}.status", request.status, f"a state of the scenario's {kind}")
        is_against = request.status is (RequestStatus.FAILED if request.sealed_valid else RequestStatus.PROCESSED)
        is_odd = request.block_id is not None and is_against
        require(not is_odd, f"{where}.status", request.status, "what its block says")


def check_blocks(world: World) -> None:
    """Check that blocks are consecutive and that each transaction is in one place, which its request states."""
    blocks, newest = world.blocks, len(world.blocks) - 1
    require(
        bool(blocks) and blocks[0].status is BlockStatus.FINALIZED, ".blocks", "no final block 0", "block 0, finalized"
    )
    last_id, places = 0, dict[str, tuple[int | None, bool]]()
    for number, block in enumerate(blocks):
        where = f".blocks[{number}]"
        require(block.block_id == number, f"{where}.block_id", block.block_id, f"{number}, its place in the list")
        ripe = number == 0 or _FINALITY[block.status] <= _FINALITY[blocks[number - 1].status]
        require(ripe, f"{where}.status", block.status, "no more than the block before it has")
        for index, (tx, valid) in enumerate(block.transactions):
            last_id = _check_tx(world, tx, f"{where}.transactions[{index}].tx", last_id)
            if isinstance(tx.body, str):
                places[tx.body] = (number, valid)
    for index, tx in enumerate(world.pending.values()):
        last_id = _check_tx(world, tx, f".pending[{index}]", last_id)
        if isinstance(tx.body, str):
            places[tx.body] = (None, False)
    last_trade_id = max((trade.trade_id for log in world.trade_logs.values() for trade in log.trades), default=0)
    require(world.next_trade_id > last_trade_id, ".next_trade_id", world.next_trade_id, f"more than {last_trade_id}")
    require(world.next_tx_id > last_id, ".next_tx_id", world.next_tx_id, f"more than {last_id}")
    for index, request in enumerate(world.requests.values()):
        was_dropped = request.status is RequestStatus.FAILED and request.block_id is None
        place = None if was_dropped else (request.block_id, request.sealed_valid)
        require(
            places.get(request.hash) == place,
            f".requests[{index}].block_id",
            request.block_id,
            "where its transaction is",
        )
    for index, row in enumerate(world.request_log.rows):
        where = f".request_log.rows[{index}]"
        require_all_in(f"{where}.account_ids", row.account_ids, {HOUSE_ID, *world.accounts}, "an account")
        is_known = row.request in world.requests if row.deposit is None else row.deposit_tx_id < world.next_tx_id
        require(
            is_known, f"{where}.request", in_quotes(row.request, 80), "a request, or a deposit with its transaction"
        )
    for block_id, waiting in world.waiting_for_block.items():
        require(block_id > newest, ".waiting_for_block", block_id, f"a block after {newest}")
        require_all_in(f".waiting_for_block[{block_id}]", (due.hash for due in waiting), world.requests, "a request")


def check_events(world: World) -> None:
    """Check that the subjects of events exist."""
    for index, event in enumerate(world.events.in_order()):
        where = f".events.heap[{index}].subject"
        require(_has_subject(world, event), where, repr(event.subject), f"what {event.kind.name} happens to")


def _tokens(world: World) -> set[int]:
    """All token ids: the scenario's and those of NFTs."""
    return {*world.config.tokens, *(nft.nft_token_id for nft in world.nfts.values())}


def _has_receiver(world: World, request: Request) -> bool:
    effect = KINDS[request.kind].effect
    if effect in _WITHOUT_RECEIVER:
        return request.to_account_id is None
    if effect is Effect.DEPLOY:
        return request.to_account_id == HOUSE_ID
    return request.to_account_id in world.accounts


def _check_tx(world: World, tx: PendingTx, where: str, last_id: int) -> int:
    """Check a transaction that follows the one with `last_id`; returns its id."""
    require(tx.tx_id > last_id, f"{where}.tx_id", tx.tx_id, f"more than {last_id}, the one before")
    body = tx.body
    if isinstance(body, SpotTrade):
        type_ = TxType.SPOT_TRADE
    elif isinstance(body, Deposit):
        type_ = TxType.DEPOSIT
        require(body.account_id in world.accounts, f"{where}.body.account_id", body.account_id, "an account")
    elif isinstance(body, PastTx):
        type_ = body.fields["txType"]
    else:
        request = world.requests.get(body)
        is_its = request is not None and request.tx_id == tx.tx_id
        require(is_its, f"{where}.body", repr(body), "a request that has this transaction")
        type_ = KINDS[world.requests[body].kind].tx_type
    require(tx.type is type_, f"{where}.type", tx.type, f"{type_}, as the body says")
    return tx.tx_id


def _has_subject(world: World, event: Event) -> bool:
    kind, subject = event.kind, event.subject
    if kind in _ORDER_EVENTS:
        return subject in world.orders.by_hash
    if kind is EventKind.REQUEST_MOVES:
        hash_, _, status = subject.partition(" ")
        return hash_ in world.requests and status in {word.value for word in RequestStatus}
    if kind is EventKind.BLOCK_SEALS:
        return subject in (INTERVAL, FULL)
    there = len(world.config.timeline if kind is EventKind.TIMELINE else world.blocks)
    return subject.isascii() and subject.isdigit() and len(subject) <= 20 and int(subject) < there
