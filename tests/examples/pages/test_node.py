"""The example in JavaScript runs."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from mockrelay.testing import RelayerHandle


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_tests_in_javascript_pass(relayer: RelayerHandle) -> None:
    script = Path(__file__).with_name("relayer.test.mjs")
    env = os.environ | {"MOCKRELAY_URL": relayer.url}
    done = subprocess.run(["node", "--test", script], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "pass 2" in done.stdout
