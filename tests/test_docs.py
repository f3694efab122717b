"""The documents say what is so: what programs make of them is fresh, and the trees name all files and no others."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tersely.scoring.costs import COSTS
from tersely.scoring.factors import FACTORS
from tersely.summarizer import DEFAULT_BUNDLE

ROOT = Path(__file__).parent.parent


@pytest.mark.skipif(sys.version_info[:2] not in ((3, 11), (3, 12)), reason="argparse words its help otherwise")
def test_the_page_of_the_command_line_is_fresh() -> None:
    program = "import sys; sys.path.insert(0, 'docs'); import make_cli; sys.stdout.write(make_cli.page())"
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, encoding="utf-8", check=True
    )
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == done.stdout, "stale: run make docs"


@pytest.mark.skipif(not DEFAULT_BUNDLE.is_dir(), reason="no bundle in the package")
def test_the_examples_in_the_readme_are_fresh() -> None:
    program = (
        "import sys; sys.path.insert(0, 'docs'); import make_examples as made; "
        "sys.stdout.reconfigure(encoding='utf-8'); "
        "sys.stdout.write(made.refreshed(made.README.read_text(encoding='utf-8')))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    assert (ROOT / "README.md").read_text(encoding="utf-8") == done.stdout, "stale: run make docs"


def test_the_tables_of_the_method_are_fresh() -> None:
    # Factors with their meanings, needs with their costs: the page and the code cannot differ.
    program = (
        "import sys; sys.path.insert(0, 'docs'); import make_tables as made; "
        "sys.stdout.reconfigure(encoding='utf-8'); "
        "sys.stdout.write(made.refreshed(made.PAGE.read_text(encoding='utf-8')))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    page = (ROOT / "docs" / "method.md").read_text(encoding="utf-8")
    assert page == done.stdout, "stale: run make docs"
    for name, kind in FACTORS.items():
        assert f"| `{name}` | {kind.meaning} |" in page
    for kind, cost in COSTS.items():
        assert re.search(rf"^\| {kind}(, hard)? \| .* \| {cost:g} \|$", page, re.MULTILINE), kind


def tree_in(document: str) -> dict[str, str]:
    """The paths that a document's annotated tree names, each with its comment."""
    text = (ROOT / document).read_text(encoding="utf-8")
    block = re.search(r"^```\n(tersely/.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert block is not None, f"{document} has no tree"
    folders: list[str] = []
    paths = {}
    for line in block[1].splitlines():
        match = re.match(r"^((?:│   |    )*(?:├── |└── )|)(\w\S*)\s*(.*)", line)  # not the names of the stages
        if match is None:
            continue
        depth, name = len(match[1]) // 4, match[2]
        folders = folders[:depth]
        paths["/".join([*folders, name.rstrip("/")])] = match[3]
        if name.endswith("/"):
            folders.append(name.rstrip("/"))
    return paths


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_the_trees_name_what_is_there(document: str) -> None:
    missing = [path for path in tree_in(document) if not (ROOT / path).exists()]
    assert not missing


def test_every_file_is_in_the_tree_with_a_comment() -> None:
    found = tree_in("CONTRIBUTING.md")
    files = [*(ROOT / "tersely").rglob("*.py"), *(ROOT / "docs").glob("*.md")]
    files += [path for folder in ("benchmarks", "runs", "docs") for path in (ROOT / folder).glob("*.[ps][yh]")]
    expected = {path.relative_to(ROOT).as_posix() for path in files}
    expected -= {path for path in expected if path.endswith("/__init__.py")} - {"tersely/__init__.py"}
    assert len(expected) > 100
    assert sorted(expected - found.keys()) == []
    assert [path for path in sorted(expected) if not found[path]] == []


def test_every_folder_is_in_the_short_tree() -> None:
    found = tree_in("README.md")
    folders = {path.parent.relative_to(ROOT).as_posix() for path in (ROOT / "tersely").glob("*/*.py")}
    assert sorted(folders - found.keys()) == []
    assert all((ROOT / path).is_dir() for path in found), "the README names folders alone"


def test_links_between_the_documents_lead_somewhere() -> None:
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "results").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document.name} links to {target}"
