"""Asynchronous requests: transfers, withdrawals, NFT mints, NFT moves and contract deployments (spec §17, §18, §21 to §28)."""
