"""What is built can be installed elsewhere and works there: wheel, sdist, zip import, editable install.

Slow (environments are made and packages fetched), so only run with `-m packaging`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import urllib.error
import urllib.request
import zipfile
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
import yaml

from tests.packaging.doing import do
from tests.support.processes import PATIENCE_S, ROOT, environment, serving

pytestmark = pytest.mark.packaging
README = ROOT.joinpath("README.md").read_text(encoding="utf-8")

LIST_DATA = """
import json
import mockrelay
from mockrelay._files import data_root
root = data_root()
scenarios = sorted(child.name for child in root.joinpath("scenarios").iterdir())
objects = sorted(child.name for child in root.joinpath("schemas", "objects").iterdir())
print(json.dumps([mockrelay.__file__, scenarios, objects]))
"""
START_WORLD = """
from mockrelay.relay import Relay
print([account["name"] for account in Relay.from_scenario("default").accounts()])
"""


def data_names(folder: str) -> list[str]:
    return sorted(path.name for path in ROOT.joinpath(folder).iterdir())


def found_by(python: str | Path, cwd: Path, **env: str) -> Path:
    """Let an interpreter list the data it finds, assert that all is there, and give the place of its package."""
    place, scenarios, objects = json.loads(do(python, "-c", LIST_DATA, env=environment(env), cwd=cwd))
    assert scenarios == data_names("scenarios")
    assert objects == data_names("schemas/objects")
    return Path(place)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and the wheel that is built from it."""
    folder = tmp_path_factory.mktemp("built")
    do(sys.executable, "-m", "build", "--outdir", folder, ROOT)
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (wheel,) = built.glob("*.whl")
    return wheel


def new_environment(folder: Path) -> Path:
    """A fresh virtual environment; its interpreter."""
    do(sys.executable, "-m", "venv", folder)
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def test_the_wheel_of_the_sdist_is_the_wheel_of_the_checkout(wheel: Path, tmp_path: Path) -> None:
    do(sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path, ROOT)
    (direct,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(direct) as ours, zipfile.ZipFile(wheel) as theirs:
        assert sorted(ours.namelist()) == sorted(theirs.namelist())
        names = ours.namelist()
    assert {name.split("/")[0] for name in names if "dist-info" not in name} == {"mockrelay"}
    assert "mockrelay/_data/scenarios/default.yaml" in names
    assert {"mockrelay/py.typed", "mockrelay/guide/world.md"} <= set(names)


def test_the_sdist_carries_what_its_tests_need(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "tests/conftest.py", ".ci/run", "scenarios/default.yaml"} <= names


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that has the wheel, and what client projects test with."""
    python = new_environment(tmp_path_factory.mktemp("installed") / "venv")
    do(python, "-m", "pip", "install", "--quiet", f"{wheel}[test]")
    return python


def test_what_client_projects_test_with_is_pytest_alone(installed: Path) -> None:
    others = ("hypothesis", "pytest_aiohttp", "pytest_asyncio", "freezegun", "time_machine")
    script = f"import pytest, sys; from importlib.util import find_spec; sys.exit(any(map(find_spec, {others!r})))"
    do(installed, "-c", script)


def test_the_wheel_brings_its_data_along(installed: Path, tmp_path: Path) -> None:
    assert installed.parents[1] in found_by(installed, tmp_path).parents


@pytest.mark.parametrize("scenario", [name.removesuffix(".yaml") for name in data_names("scenarios")])
def test_the_wheel_installed_elsewhere_serves_each_scenario(scenario: str, installed: Path, tmp_path: Path) -> None:
    ready_file = tmp_path / "ready.json"
    script = installed.with_name("mockrelay")
    args = ("-p", "0", "--scenario", scenario, "--ready-file", str(ready_file))
    with serving(*args, command=[str(script)], cwd=tmp_path) as server:
        assert server.url
        do(script, "wait", server.url)
        ready = json.loads(ready_file.read_text())
        assert ready["scenario"] == scenario
        key = ready["accounts"][0]["apiKey"]
        request = urllib.request.Request(ready["url"] + "/api/v2/exchange/tokens", headers={"X-API-KEY": key})
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            assert json.load(answer)["resultInfo"]["code"] == 0
        if os.name == "posix":
            assert server.end(signal.SIGTERM) == 0


def test_the_readmes_tests_pass_in_a_project_of_their_own(installed: Path, tmp_path: Path) -> None:
    """An empty folder, the wheel, and what the README says about the fixture."""
    blocks = [block for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if "relayer" in block]
    tests = [block for block in blocks if re.search(r"^(async )?def test_", block, re.MULTILINE)]
    assert tests
    for number, block in enumerate(tests):
        tmp_path.joinpath(f"test_readme_{number}.py").write_text(block, encoding="utf-8")
    output = do(installed, "-m", "pytest", "-q", cwd=tmp_path)
    assert re.search(r"\d+ passed", output)
    assert "failed" not in output


@pytest.mark.skipif(os.name != "posix", reason="the command is the one for a POSIX shell")
def test_the_first_command_of_the_readme_serves_the_default_scenario(tmp_path: Path) -> None:
    """As it stands, in a copy of what is checked in; only the port is a free one."""
    checkout = tmp_path / "checkout"
    for name in ("mockrelay", "schemas", "scenarios"):
        shutil.copytree(ROOT / name, checkout / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, checkout)
    command = re.findall(r"```sh\n(.*?)\n```", README, re.DOTALL)[0]
    assert command.endswith("mockrelay serve")
    ready_file = tmp_path / "ready.json"
    env = environment({"PYTHONWARNINGS": "", "MOCKRELAY_PORT": "0", "MOCKRELAY_READY_FILE": str(ready_file)})
    env["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), env["PATH"]))
    # The shell gives way to the server, so that the server is what is stopped.
    with subprocess.Popen(
        ["/bin/sh", "-c", command.replace("&& .venv/bin/mockrelay", "&& exec .venv/bin/mockrelay")],
        cwd=checkout,
        env=env,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            heard = any(line.startswith("mockrelay listening on http://") for line in process.stdout)
        finally:
            process.terminate()
        assert heard
        assert process.wait(PATIENCE_S) == 0


def test_a_zip_on_the_path_is_enough(wheel: Path, tmp_path: Path) -> None:
    assert wheel in found_by(sys.executable, tmp_path, PYTHONPATH=str(wheel)).parents
    started = do(sys.executable, "-c", START_WORLD, env=environment({"PYTHONPATH": str(wheel)}), cwd=tmp_path)
    assert started.strip() == "['alice', 'bob', 'carol']"


def test_an_editable_install_reads_the_checkout(tmp_path: Path) -> None:
    python = new_environment(tmp_path / "venv")
    do(python, "-m", "pip", "install", "--quiet", "--no-deps", "--editable", ROOT)
    assert found_by(python, tmp_path).parent == ROOT / "mockrelay"


CI = ROOT / "tests" / "examples" / "ci"


def last_step(workflow: Path) -> str:
    """The script of a job's last step that has one."""
    (job,) = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"].values()
    return next(str(step["run"]) for step in reversed(job["steps"]) if "run" in step)


@pytest.mark.skipif(os.name != "posix" or shutil.which("curl") is None, reason="needs bash and curl")
def test_what_the_examples_for_ci_run_works_in_an_environment_of_its_own(wheel: Path, tmp_path: Path) -> None:
    """The commands of the Dockerfile, of the compose file and of the workflow, without the containers around them."""
    dockerfile = CI.joinpath("Dockerfile").read_text(encoding="utf-8")
    compose = yaml.safe_load(CI.joinpath("compose.yaml").read_text(encoding="utf-8"))["services"]["relayer"]
    python = new_environment(tmp_path / "venv")
    (install,) = re.findall(r"^RUN (pip install .*?) /tmp/mockrelay-\*\.whl && ", dockerfile, re.MULTILINE)
    do(python, "-m", *install.split(), wheel)
    bin_folder = python.parent
    of_image = dict(re.findall(r"(MOCKRELAY_\w+)=(\S+)", dockerfile))
    of_service = {name: re.sub(r"\$\{\w+:-(.*)\}", r"\1", text) for name, text in compose["environment"].items()}
    assert of_image == {"MOCKRELAY_HOST": "0.0.0.0", "MOCKRELAY_TOKEN": "auto"}
    (entrypoint,) = re.findall(r"^ENTRYPOINT (.*)$", dockerfile, re.MULTILINE)
    (health,) = re.findall(r"^HEALTHCHECK .*? CMD (.*)$", dockerfile, re.MULTILINE)
    program, command = json.loads(entrypoint)
    assert command == "serve"
    reports, ready_file = tmp_path / "reports", tmp_path / "ready.json"
    args = [word.replace("/tmp/reports", str(reports)) for word in compose["command"]]
    env = of_image | of_service
    # A free port, and the file that says which; everything else is as it stands there.
    with serving(
        *args, "-p", "0", "--ready-file", str(ready_file), command=[str(bin_folder / program)], env=env, cwd=tmp_path
    ) as server:
        assert server.url == of_service["MOCKRELAY_PUBLIC_URL"]
        port = waited_for(ready_file)["port"]
        url = f"http://127.0.0.1:{port}"
        program, *words = json.loads(health)
        do(bin_folder / program, *(word.replace("http://127.0.0.1:4627", url) for word in words), env=environment(env))
        summary = tmp_path / "summary.md"
        step = environment(
            {"MOCKRELAY_URL": url, "MOCKRELAY_TOKEN": env["MOCKRELAY_TOKEN"], "GITHUB_STEP_SUMMARY": str(summary)}
        )
        script = ["bash", "-e", "-c", last_step(CI / "workflow.yaml")]
        assert do(*script, env=step, cwd=tmp_path).splitlines() == ["no findings"]
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(f"{url}/api/nowhere", timeout=PATIENCE_S)
        failed = subprocess.run(script, env=step, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert failed.returncode == 1
        assert failed.stdout.startswith("::error title=mockrelay%3A foreign-path::")
        assert summary.read_text(encoding="utf-8").count("### mockrelay: ") == 2
        with zipfile.ZipFile(tmp_path / "report.zip") as report:
            assert "findings.junit.xml" in report.namelist()
        assert server.end(signal.SIGTERM) == 1
    assert reports.joinpath("findings.md").exists()


def waited_for(ready_file: Path) -> Any:
    """What is in a ready file, as soon as there is one."""
    until_s = monotonic() + PATIENCE_S
    while not ready_file.exists():
        assert monotonic() < until_s
    return json.loads(ready_file.read_text(encoding="utf-8"))
