"""What docs/fit.md shows is what the command prints, with the bundle of the package."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tersely.bundle.bundle import DEFAULT_BUNDLE
from tersely.cli import main

PAGE = (Path(__file__).parent.parent.parent / "docs" / "fit.md").read_text(encoding="utf-8")


def block(kind: str) -> str:
    found = re.search(rf"^```{kind}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.slow
@pytest.mark.skipif(not DEFAULT_BUNDLE.is_dir(), reason="no bundle in the package")
def test_the_example_is_true(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("strings.json").write_text(block("json"))
    Path("limits.toml").write_text(block("toml"))
    for more in ([], ["--diff"]):
        assert main(["fit", "strings.json", "--limits", "limits.toml", *more]) == 1
        assert capsys.readouterr().out.strip() in PAGE
    exec(block("python"), {})
    assert r'"Fernhill \u2013 Plan weekend trips"' in Path("strings.json").read_text()
    assert main(["fit", "strings.json"]) == 0
