"""The profile `long` for the attacks, beside the one that all tests have."""

from __future__ import annotations

from tests.properties import effort

effort.register()
