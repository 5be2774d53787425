"""What all tests share: Hypothesis without deadlines (a busy machine is no bug) and the same examples in every run."""

from __future__ import annotations

from hypothesis import settings

from tests.properties import effort

pytest_plugins = ["pytester"]

settings.register_profile("mockrelay", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("mockrelay")
effort.register()
