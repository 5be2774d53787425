"""The rows of all profiles, and how to find one."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mockrelay.spec.endpoint import Endpoint
from mockrelay.spec.live_endpoints import LIVE_ENDPOINTS
from mockrelay.spec.spec_endpoints import ENDPOINTS

__all__ = ["ALL_ENDPOINTS", "BY_ID", "BY_NAME", "ENDPOINTS"]

ALL_ENDPOINTS = (*ENDPOINTS, *LIVE_ENDPOINTS)
"""The rows of all profiles."""
BY_ID: Mapping[str, Endpoint] = MappingProxyType({row.id: row for row in ALL_ENDPOINTS})
BY_NAME: Mapping[str, Endpoint] = MappingProxyType({row.name: row for row in ALL_ENDPOINTS if not row.form})
"""The rows by endpoint, those of other forms left out."""
_AGAIN = [row.id for row in ALL_ENDPOINTS if BY_ID[row.id] is not row]
assert not _AGAIN, f"{_AGAIN} are the ids of several rows"
_WITHOUT_BASE = [row.id for row in ALL_ENDPOINTS if row.name not in BY_NAME]
assert not _WITHOUT_BASE, f"{_WITHOUT_BASE} are other forms of endpoints that have no row"
