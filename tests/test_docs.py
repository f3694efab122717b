"""The documents are true: generated pages are fresh, links lead somewhere, and the short tree has every folder."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tersely.summary.summarizer import DEFAULT_BUNDLE

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "results").glob("*.md")])
TEXTS = {page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8") for page in PAGES}


def made(program: str) -> str:
    """What an expression gives in a process of its own, with the folder of the documents' programs on its path."""
    code = f"import sys; sys.path.insert(0, 'docs'); sys.stdout.reconfigure(encoding='utf-8'); {program}"
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True).stdout


@pytest.mark.skipif(sys.version_info[:2] not in ((3, 11), (3, 12)), reason="argparse words its help otherwise")
def test_the_page_of_the_command_line_is_fresh() -> None:
    assert TEXTS["docs/cli.md"] == made("import make_cli as of; sys.stdout.write(of.page())"), "stale: run make docs"


def test_the_page_of_the_python_interface_is_fresh() -> None:
    assert TEXTS["docs/api.md"] == made("import make_api as of; sys.stdout.write(of.page())"), "stale: run make docs"


def test_the_tables_are_fresh() -> None:
    program = "import json, make_tables as of; json.dump(of.refreshed(), sys.stdout)"
    for name, text in json.loads(made(program)).items():
        assert TEXTS[f"docs/{name}"] == text, f"{name} is stale: run make docs"


@pytest.mark.skipif(not DEFAULT_BUNDLE.is_dir(), reason="no bundle in the package")
def test_the_examples_in_the_readme_are_fresh() -> None:
    program = "import make_examples as of; sys.stdout.write(of.refreshed(of.README.read_text(encoding='utf-8')))"
    assert TEXTS["README.md"] == made(program), "stale: run make docs"


@pytest.mark.slow
def test_the_page_on_the_paper_and_its_table_in_the_readme_are_fresh() -> None:
    program = (
        "import json, make_reproduction as of; s = of.read_scores(); json.dump([of.page(s), of.readme(s)], sys.stdout)"
    )
    page, readme = json.loads(made(program))
    assert TEXTS["docs/reproduction.md"] == page, "stale: run make docs"
    assert TEXTS["README.md"] == readme, "stale: run make docs"
    for figure in re.findall(r"\((figures/[^)]+)\)", page):
        assert (ROOT / "docs" / figure).stat().st_size < 60_000


def test_the_short_tree_names_every_folder_of_the_package() -> None:
    tree = re.search(r"^```\n(tersely/.*?)^```", TEXTS["README.md"], re.MULTILINE | re.DOTALL)
    assert tree is not None
    folder, found = "", []
    for indent, name in re.findall(r"^([├└]── )?(\w+)/", tree[1], re.MULTILINE):
        folder = folder if indent else name
        found.append(f"{folder}/{name}" if indent else name)
    assert [path for path in found if not (ROOT / path).is_dir()] == []
    rooms = {path.parent.relative_to(ROOT).as_posix() for path in (ROOT / "tersely").glob("*/__init__.py")}
    assert sorted(rooms - set(found)) == []


def test_contributing_names_every_room() -> None:
    rooms = {path.parent.name for path in (ROOT / "tersely").glob("*/__init__.py")}
    assert [room for room in sorted(rooms) if f"| `{room}` |" not in TEXTS["CONTRIBUTING.md"]] == []


def test_paths_in_contributing_exist() -> None:
    paths = re.findall(r"`((?:tersely|tests|docs|benchmarks|runs|results)/[\w./-]+)`", TEXTS["CONTRIBUTING.md"])
    assert len(paths) > 10
    assert [path for path in paths if not (ROOT / path).exists()] == []


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them.

    >>> sorted(anchors("# The method\\n## Why `f`, and when?"))
    ['the-method', 'why-f-and-when']
    """
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.*)", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=list(TEXTS))
def test_links_lead_to_a_file_and_a_heading(page: Path) -> None:
    for path, anchor in re.findall(r"\]\(([^)#:\s]*)#?([^):\s]*)\)", page.read_text(encoding="utf-8")):
        target = page.parent / path if path else page
        assert target.exists(), f"link to {path}, which does not exist"
        if anchor:
            assert anchor in anchors(target.read_text(encoding="utf-8")), f"link to {path}#{anchor}: no such heading"


@pytest.mark.parametrize(("folder", "most"), [("results", 120), ("docs", 200)])
def test_pages_that_people_write_are_short(folder: str, most: int) -> None:
    generated = {"docs/cli.md", "docs/reproduction.md", "docs/api.md"}
    pages = {name: text for name, text in TEXTS.items() if name.startswith(f"{folder}/") and name not in generated}
    assert {name for name, text in pages.items() if text.count("\n") > most} == set()
