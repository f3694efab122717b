"""`tersely mcp`: a server of the Model Context Protocol over stdio, with one tool. Its arguments are the request of the
service, which is made from the library's table of options.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from tersely.commands.common import add_bundle
from tersely.errors import InputError, missing_extra
from tersely.summary.summarizer import Summarizer
from tersely.version import __version__

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from mcp_types import CallToolResult

TOOL = "shorten"
EPILOG = """\
An assistant starts this program itself. Its settings need a name, a command and arguments:

  {"mcpServers": {"tersely": {"command": "tersely", "args": ["mcp"]}}}

It has one tool, shorten. Nothing leaves this machine.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_bundle(parser)


def run(args: argparse.Namespace) -> int:
    """Serve until stdin ends."""
    try:
        import anyio
        from mcp.server.stdio import stdio_server
    except ImportError:
        raise missing_extra("mcp", "mcp") from None

    server = make_server(Summarizer.load(args.bundle))

    async def serve() -> None:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(serve)
    return 0


def make_server(shorten: Summarizer) -> Server[Any]:
    """The server with its tool. A summary is made in a thread, so that other messages do not wait for it."""
    import anyio.to_thread
    from mcp.server.lowlevel import Server
    from mcp.shared.exceptions import MCPError
    from mcp_types import INVALID_PARAMS, CallToolRequestParams, ListToolsResult, Tool, ToolAnnotations

    from tersely.serve.requests import SummarizeRequest

    tool = Tool(
        name=TOOL,
        title="Shorten a sentence",
        description="Shortens a sentence to exactly the length that is asked for, with its own words, in order. "
        + SummarizeRequest.__doc__,
        input_schema=SummarizeRequest.model_json_schema(),
        annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
    )

    async def list_tools(context: Any, params: Any) -> ListToolsResult:
        return ListToolsResult(tools=[tool])

    async def call_tool(context: Any, params: CallToolRequestParams) -> CallToolResult:
        if params.name != TOOL:
            raise MCPError(INVALID_PARAMS, f"unknown tool {params.name[:80]!r}: the only one is {TOOL}")
        return await anyio.to_thread.run_sync(call, shorten, params.arguments or {})

    return Server("tersely", version=__version__, on_list_tools=list_tools, on_call_tool=call_tool)


def call(shorten: Summarizer, arguments: dict[str, Any]) -> CallToolResult:
    """The result of one call: for each text its summary and the next best ones, or why it has none."""
    from mcp_types import CallToolResult, TextContent
    from pydantic import ValidationError

    from tersely.serve.requests import SummarizeRequest, validation_error

    try:
        request = SummarizeRequest.model_validate(arguments)
        shorten.check(request.options)
    except ValidationError as error:
        found = error.errors()[0]
        shown = str(validation_error({**found, "loc": ("arguments", *found["loc"])}))
        return CallToolResult(content=[TextContent(text=shown)], is_error=True)
    except InputError as error:
        return CallToolResult(content=[TextContent(text=str(error))], is_error=True)
    results = [_result(shorten, text, request) for text in request.texts]
    return CallToolResult(
        content=[TextContent(text=_shown(result)) for result in results],
        structured_content={"results": results},
        is_error=all("error" in result for result in results),
    )


def _result(shorten: Summarizer, text: str, request: Any) -> dict[str, Any]:
    summary = shorten.attempt(text, request.options)
    if isinstance(summary, InputError):
        return {"error": str(summary)}
    result = {"text": summary.text, "others": [other.text for other in summary.others], "score": summary.score}
    explanation = {"explanation": str(summary.explain())} if request.explain else {}
    return {**result, "warnings": list(summary.warnings), **explanation}


def _shown(result: dict[str, Any]) -> str:
    if "error" in result:
        return f"error: {result['error']}"
    warnings = [f"warning: {message}" for message in result["warnings"]]
    explanation = [result["explanation"]] if "explanation" in result else []
    return "\n".join([result["text"], *result["others"], *warnings, *explanation])
