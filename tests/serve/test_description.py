"""The OpenAPI description: generated requests break nothing, and every response is as described."""

from __future__ import annotations

from collections import Counter
from typing import Any

import hypothesis
import pytest
import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tersely.serve.requests import SUBTITLES

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
WORK = ["/v1/summarize", "/v1/lengths", "/v1/climb", "/v1/subtitles"]
STATE = ["/v1/info", "/healthz", "/readyz", "/metrics"]
TEXT = "the german ship ran aground early on tuesday at the port of le havre but there were no casualties"
HARMLESS = {"seed", "negation", "punctuation", "pretokenized", "explain", "diverse", "cosine", "softmax"}
FIXED = hypothesis.settings(
    max_examples=50,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(hypothesis.HealthCheck),
)


@pytest.fixture(scope="module")
def schema(address: str) -> Any:
    return schemathesis.openapi.from_url(f"{address}/openapi.json")


def statuses_of(strategy: Any) -> Counter[int]:
    """How often each status came; every response is checked."""
    found: Counter[int] = Counter()

    @FIXED
    @hypothesis.given(case=strategy)
    def attempt(case: Any) -> None:
        found[case.call_and_validate(checks=CHECKS).status_code] += 1

    attempt()
    return found


def test_every_operation_is_tried(schema: Any) -> None:
    assert sorted(schema.raw_schema["paths"]) == sorted(WORK + STATE)


@pytest.mark.parametrize("path", STATE)
def test_the_state(schema: Any, path: str) -> None:
    assert schema[path]["GET"].Case().call_and_validate(checks=CHECKS).status_code == 200


@pytest.mark.parametrize("path", WORK)
@pytest.mark.parametrize("mode", list(schemathesis.GenerationMode))
def test_generated_requests(schema: Any, path: str, mode: Any) -> None:
    found = statuses_of(schema[path]["POST"].as_strategy(generation_mode=mode))
    assert found.keys() <= {200, 400, 413, 422}


@pytest.mark.parametrize("path", WORK)
def test_generated_requests_that_are_valid(schema: Any, path: str) -> None:
    operation = schema[path]["POST"]
    named = operation.definition.raw["requestBody"]["content"]["application/json"]["schema"]["$ref"].split("/")[-1]
    known = schema.raw_schema["components"]["schemas"][named]["properties"]

    def mend(case: Any) -> Any:
        """A text and a length that fit, and the harmless options as they were generated."""
        generated = {name: value for name, value in case.body.items() if name in HARMLESS}
        mended = {**generated, "text": SUBTITLES if path == "/v1/subtitles" else TEXT, "words": 5}
        case.body = {name: value for name, value in mended.items() if name in known}
        return case

    found = statuses_of(operation.as_strategy().map(mend))
    assert found[200] > 10
    assert found.keys() <= {200, 422}  # a seed may be below 0
