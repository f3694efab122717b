"""`tersely mcp`, as a program that a client of the official package starts and asks over stdio."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tersely.candidates.length import UNITS
from tersely.cli import main
from tersely.commands.mcp import call
from tersely.summary.options import fields
from tersely.summary.summarizer import Summarizer

mcp = pytest.importorskip("mcp")
import anyio  # noqa: E402

TEXT = "The german ship ran aground early on Tuesday but authorities said there were no casualties."


def ask(bundle: Path, questions: Callable[[Any], Awaitable[None]], mode: str = "auto") -> None:
    """Start the program, connect a client, and let it ask."""
    parameters = mcp.StdioServerParameters(
        command=sys.executable,
        args=["-m", "tersely", "mcp", "--bundle", str(bundle)],
        env={"PYTHONPATH": ":".join(sys.path)},
    )

    async def session() -> None:
        async with mcp.Client(mcp.stdio_client(parameters), mode=mode) as client:
            await questions(client)

    anyio.run(session)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_finds_the_tool_and_uses_it(tiny_bundle: Path, summarizer: Summarizer, mode: str) -> None:
    async def questions(client: Any) -> None:
        (tool,) = (await client.list_tools()).tools
        assert tool.name == "shorten"
        usable = {name for name, unit in UNITS.items() if unit.budget}
        assert usable | {*fields()} - {"effort"} <= tool.input_schema["properties"].keys()
        result = await client.call_tool("shorten", {"text": TEXT, "words": 4, "keep": "Tuesday", "n_best": 2})
        expected = summarizer(TEXT, words=4, keep="Tuesday", n_best=2)
        assert not result.is_error
        assert result.content[0].text.splitlines() == [expected, *expected.others]
        assert result.structured_content["results"][0]["text"] == expected
        refused = await client.call_tool("shorten", {"text": TEXT, "wrds": 4})
        assert refused.is_error
        assert "wrds" in refused.content[0].text
        with pytest.raises(mcp.MCPError, match="lengthen"):
            await client.call_tool("lengthen", {})

    ask(tiny_bundle, questions, mode)


def test_a_text_that_cannot_be_shortened_costs_no_other(summarizer: Summarizer) -> None:
    result = call(summarizer, {"text": [TEXT, "?!"], "chars": 30})
    assert not result.is_error
    assert result.content[0].text.splitlines()[0] == summarizer(TEXT, chars=30)
    assert "punctuation" in result.content[1].text
    assert call(summarizer, {"text": "?!", "chars": 30}).is_error


def test_warnings_and_reasons_are_shown(summarizer: Summarizer) -> None:
    result = call(summarizer, {"text": "Ein Schiff lief gestern auf Grund.", "words": 3})
    assert "warning: more than half" in result.content[0].text
    assert result.structured_content["results"][0]["warnings"]
    explained = call(summarizer, {"text": TEXT, "words": 3, "explain": True})
    assert explained.content[0].text.startswith(summarizer(TEXT, words=3))
    assert "log f" in explained.content[0].text


@pytest.mark.parametrize(
    ("arguments", "word"),
    [({"text": TEXT}, "length"), ({"words": 3}, "text"), ({"text": TEXT, "words": 3, "objective": "best"}, "best")],
)
def test_what_is_wrong_is_said_to_the_assistant(summarizer: Summarizer, arguments: dict[str, Any], word: str) -> None:
    result = call(summarizer, arguments)
    assert result.is_error
    assert word in result.content[0].text


def test_without_the_package_it_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.stdio", None)
    assert main(["mcp"]) == 1
    assert "tersely[mcp]" in capsys.readouterr().err
