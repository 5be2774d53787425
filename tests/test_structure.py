"""The package's structure: no circles, and no file, function or folder that is too long to read at once."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

import mockrelay

PACKAGE = Path(mockrelay.__file__).parent
FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 70
FOLDER_FILES_MAX = 20


def test_no_file_imports_itself_by_way_of_others() -> None:
    """Imports for types alone count too: whoever reads a file has to read what its types are."""
    graph = grimp.build_graph("mockrelay", cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    TopologicalSorter(imports).prepare()  # raises CycleError, which names the circle


FOLDERS = sorted({file.parent for file in PACKAGE.rglob("*.py")})


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.relative_to(PACKAGE.parent).as_posix())
def test_a_folder_and_its_files_and_functions_are_not_too_long(folder: Path) -> None:
    files = sorted(folder.glob("*.py"))
    assert len(files) <= FOLDER_FILES_MAX
    for file in files:
        source = file.read_text(encoding="utf-8")
        assert source.count("\n") <= FILE_LINES_MAX, file
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert node.end_lineno is not None
                assert node.end_lineno - node.lineno < FUNCTION_LINES_MAX, f"{file}: {node.name}"


TESTS = Path(__file__).parent
ORACLES = ("transcript", "fields", "checks", "wrong_fields", "causes", "causes_of_requests", "witnesses")
INDEPENDENT = [
    *((file, "mockrelay.client") for file in sorted((TESTS / "support").glob("*.py"))),
    *((TESTS / "conformance" / f"{name}.py", "mockrelay.spec") for name in ORACLES),
]


@pytest.mark.parametrize(("file", "module"), INDEPENDENT, ids=lambda value: getattr(value, "stem", value))
def test_what_judges_a_part_of_the_package_does_not_use_it(file: Path, module: str) -> None:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        assert not [name for name in names if f"{name}.".startswith(f"{module}.")]
