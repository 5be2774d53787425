"""What all tests share: Hypothesis without deadlines and other limits of time (a busy machine is not a bug) and the same examples in every run."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

from tests.properties import effort

pytest_plugins = ["pytester"]

settings.register_profile(
    "mockrelay",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("mockrelay")
effort.register()
