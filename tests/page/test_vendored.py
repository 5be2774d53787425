"""What others have written in the page is what the registry's packages hold."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

from mockrelay._files import packaged_page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

FILES = packaged_page()
PACKAGES = json.loads(FILES["vendor/vendor.json"])


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package["name"])
def test_each_file_is_the_one_of_its_package(package: dict[str, Any], tmp_path: Path) -> None:
    """Compared with what npm gets, where it gets anything."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    name = f"{package['name']}@{package['version']}"
    packed = subprocess.run(
        [npm, "pack", "--silent", name], check=False, cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    if packed.returncode:
        pytest.skip(f"npm cannot get {name}: {packed.stderr.strip()}")
    (archive,) = tmp_path.glob("*.tgz")
    digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    assert f"sha512-{digest}" == package["integrity"]
    with tarfile.open(archive) as files:
        for file, about in package["files"].items():
            published = files.extractfile(f"package/{about['as']}")
            assert published is not None
            assert published.read() == FILES[f"vendor/{file}"]
        manifest = files.extractfile("package/package.json")
        assert manifest is not None
        assert json.load(manifest)["license"] == package["licence"]
