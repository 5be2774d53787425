"""Addresses of NFT contracts that need not be deployed: CREATE2 of factory, owner and a minimal proxy (ERC-1167)."""

from __future__ import annotations

from functools import lru_cache

from mockrelay.signing.hashes import checksummed, keccak256

_SALT = b"NFT_CONTRACT_CREATION"
_PROXY_BEFORE = bytes.fromhex("363d3d373d3d3d363d73")
_PROXY_AFTER = bytes.fromhex("5af43d82803e903d91602b57fd5bf3")
_CREATION_BEFORE = bytes.fromhex("3d602d80600a3d3981f3")


def token_address(factory: str, implementation: str, owner: str, base_uri: str = "") -> str:
    """The checksummed address of the owner's NFT contract with a base URI."""
    salt = keccak256(_SALT + _bytes(owner) + base_uri.encode("utf-8", "surrogatepass"))
    return _address_of_salt(factory, implementation, salt)


# By the salt, since a base URI may be of any length.
@lru_cache(maxsize=1024)
def _address_of_salt(factory: str, implementation: str, salt: bytes) -> str:
    code_hash = keccak256(_CREATION_BEFORE + _proxy(implementation))
    return checksummed(keccak256(b"\xff" + _bytes(factory) + salt + code_hash)[-20:])


def runtime_code(implementation: str) -> str:
    """The code of a deployed NFT contract, in hex."""
    return "0x" + _proxy(implementation).hex()


def _proxy(implementation: str) -> bytes:
    return _PROXY_BEFORE + _bytes(implementation) + _PROXY_AFTER


def _bytes(address: str) -> bytes:
    return bytes.fromhex(address[2:])
