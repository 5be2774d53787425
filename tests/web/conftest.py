"""Control calls reach the fake relays of this folder, too."""

from __future__ import annotations

import pytest

from tests.web.fake import control


@pytest.fixture(autouse=True)
def _control_of_fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mockrelay.web.dispatch.handle_control", control)
