"""Asynchronous requests: transfers, withdrawals, minting, moving and deploying NFTs (spec §17, §18, §21 to §28)."""
