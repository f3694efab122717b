"""The flow: a module imports only from stages before it, and a summary needs nothing heavy."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tersely

PACKAGE = Path(__file__).parent.parent / "tersely"

# The stages in their order. What stands in one line may import from that line only inside its own folder.
STAGES = [
    ["errors", "version", "system"],
    ["text"],
    ["sentence"],
    ["candidates"],
    ["scoring"],
    ["search"],
    ["bundle"],
    ["summary"],
    ["subtitles", "fit", "web", "integrations"],
    ["evaluation"],
    ["training"],
    ["batch"],
    ["serve"],
    ["commands"],
    ["cli"],
    ["__init__", "__main__"],
]
RANK = {name: rank for rank, names in enumerate(STAGES) for name in names}
HEAVY = set(
    "torch matplotlib gensim rouge_score starlette uvicorn fastapi prometheus_client httpx "
    "pyarrow zstandard ray spacy pandas polars datasets jinja2 django mcp pysubs2".split()
)
MODULES = sorted(PACKAGE.rglob("*.py"))


def stage_of(module: Path) -> str:
    parts = module.relative_to(PACKAGE).with_suffix("").parts
    return parts[0]


def imports_of(module: Path) -> set[str]:
    """The stages that a module imports from, wherever in the file."""
    stages = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative import"
            names = [node.module or ""]
            if node.module == "tersely":
                names = [f"tersely.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        stages |= {name.split(".")[1] for name in names if name.startswith("tersely.")}
    return stages


@pytest.mark.parametrize("module", MODULES, ids=[str(m.relative_to(PACKAGE)) for m in MODULES])
def test_a_module_imports_only_from_stages_before_it(module: Path) -> None:
    own = stage_of(module)
    assert own in RANK, f"{own} has no place in the flow: add it to STAGES"
    for stage in imports_of(module):
        assert stage in RANK, f"{module} imports {stage}, which has no place in the flow"
        same_folder = stage == own and (PACKAGE / own).is_dir()
        peers_of_the_base = RANK[stage] == 0
        assert same_folder or peers_of_the_base or RANK[stage] < RANK[own], f"{own} imports {stage}, a later stage"


def test_the_suite_shares_only_the_promises_with_the_benchmarks() -> None:
    root = PACKAGE.parent
    programs = {path.stem for path in (root / "benchmarks").glob("*.py")}
    beside = {path.stem for path in (root / "tests").glob("*.py")}
    assert not programs & beside  # so that a name is that of one file
    found = set()
    for test in (root / "tests").rglob("*.py"):
        names = re.findall(r"^\s*(?:from|import) (\w+)", test.read_text(encoding="utf-8"), re.MULTILINE)
        found |= programs & set(names)
    assert found == {"promises"}


def test_a_module_that_names_its_stage_names_the_right_one() -> None:
    for module in MODULES:
        named = re.match(r'"""Stage (\d+)', module.read_text(encoding="utf-8"))
        assert named is None or int(named[1]) == RANK[stage_of(module)], module


@pytest.mark.parametrize(("program", "numpy"), [("import tersely", False), ("from tersely import Summarizer", True)])
def test_importing_tersely_loads_nothing_heavy(program: str, numpy: bool) -> None:
    command = [sys.executable, "-X", "importtime", "-c", program]
    report = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stderr
    loaded = {line.rpartition("|")[2].strip().split(".")[0] for line in report.splitlines()}
    assert ("numpy" in loaded) == numpy
    assert not loaded & HEAVY


def test_tersely_has_what_it_says_and_no_more() -> None:
    assert all(hasattr(tersely, name) for name in tersely.__all__)
    with pytest.raises(AttributeError, match="no attribute 'shorten'"):
        tersely.shorten  # noqa: B018
