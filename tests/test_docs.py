"""The documents say what is so: the page of the command line is fresh, the README's tree names real files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tersely.scoring.factors import FACTORS
from tersely.scoring.grammar import COSTS
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


def files_in_tree(readme: str) -> list[str]:
    """The paths that the README's annotated tree names."""
    block = readme.partition("\n```\ntersely/\n")[2].partition("```")[0]
    folders, paths = ["tersely"], ["tersely"]
    for line in block.splitlines():
        match = re.match(r"^((?:│   |    )*(?:├── |└── )|)(\w\S*)", line)  # not the names of the stages
        if match is None:
            continue
        depth, name = len(match[1]) // 4, match[2]
        folders = folders[:depth]
        paths.append("/".join([*folders, name.rstrip("/")]))
        if name.endswith("/"):
            folders.append(name.rstrip("/"))
    return paths


def test_the_tree_in_the_readme_names_real_files() -> None:
    paths = files_in_tree((ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(paths) > 20
    missing = [path for path in paths if not (ROOT / path).exists()]
    assert not missing


def test_every_module_is_in_the_tree() -> None:
    paths = set(files_in_tree((ROOT / "README.md").read_text(encoding="utf-8")))
    modules = {str(p.relative_to(ROOT)) for p in (ROOT / "tersely").glob("*.py")}
    assert modules <= paths


def test_links_between_the_documents_lead_somewhere() -> None:
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document.name} links to {target}"
