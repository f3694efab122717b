"""The fuzzer: draws cases for every promise and attack, and makes a failure small. `benchmarks/fuzz.py` runs it.

Every promise of the README is a function in benchmarks/promises.py, every attack one in a file *attacks.py.
Cases come from a seeded generator, and about every fifth from hypothesis, which stores failures in .hypothesis/fuzz.
"""

from __future__ import annotations

import contextlib
import json
import random
import shlex
import time
from collections import Counter
from pathlib import Path

import batch_attacks  # noqa: F401  (they add to the attacks)
import bound_attacks  # noqa: F401
import climb_attacks  # noqa: F401
import run_attacks  # noqa: F401
from attacks import ATTACKS
from fuzz_texts import make_case
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from hypothesis.database import DirectoryBasedExampleDatabase
from promises import PROMISES, Case, Promise

from tersely import Summarizer

EXAMPLES = Path(__file__).parent.parent / ".hypothesis" / "fuzz"  # failures are stored here and tried again
CHECKS: dict[str, Promise] = {**PROMISES, **ATTACKS}
_HYPOTHESIS = 0.01  # the share of draws by hypothesis, each of which is twenty cases
# Quick checks are drawn more often, slow ones less.
_SHARES = {
    "joined_words_are_stretches_of_the_source": 16.0,
    "a_clitic_keeps_its_host": 16.0,
    "sentences_are_the_whole_text": 8.0,
    "odd_options_are_an_error_of_one_line": 8.0,
    "every_length_comes_from_one_pass": 0.3,
    "calls_in_any_order_are_equal": 0.3,
    "the_work_of_a_search_is_bounded": 0.3,
    "a_climb_is_answered_within_its_bound": 0.3,
    "a_changed_input_is_never_done": 0.15,
    "a_killed_batch_is_resumed_to_the_same_bytes": 0.15,
    "long_runs_are_read_in_linear_time": 0.05,
    "a_batch_loses_no_row": 0.05,
    "hostile_clients_do_not_stop_a_service": 0.05,
}


def broken(check: Promise, shorten: Summarizer, case: Case) -> str:
    """The failure in one line; empty if there is none."""
    try:
        check(shorten, case)
    except Exception as error:
        return f"{type(error).__name__}: {error}".partition("\n")[0][:200]
    return ""


def smaller(check: Promise, shorten: Summarizer, case: Case) -> Case:
    """The case without the words and options that the failure does not need."""
    if "text" not in case:
        return case
    again = True
    while again:
        again = False
        words = case["text"].split(" ")
        tries = [{**case, "text": " ".join(words[:i] + words[i + 1 :])} for i in range(len(words)) if len(words) > 1]
        kept = [name for name in case["options"] if name not in ("words", "pretokenized")]
        tries += [{**case, "options": {k: v for k, v in case["options"].items() if k != name}} for name in kept]
        for one in tries:
            if broken(check, shorten, one):
                case, again = one, True
                break
    return case


def drawn(name: str) -> st.SearchStrategy[Case]:
    """Cases for a check, drawn by hypothesis: those of the generator, also with any text at their end."""
    if name in ATTACKS:
        return st.builds(lambda seed: {"seed": seed}, st.integers(0, 10**9))
    cases = st.randoms(use_true_random=False).map(make_case)
    return st.builds(lambda case, more: {**case, "text": case["text"] + more}, cases, st.text(max_size=60))


def by_hypothesis(shorten: Summarizer, name: str, number: int, made: Counter[str]) -> Case | None:
    """The smallest failure among a few cases that hypothesis draws; stored failures are tried first."""
    found: list[Case] = []
    stored = DirectoryBasedExampleDatabase(EXAMPLES / name)

    # The settings come last: a seed alone switches the database off.
    @settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck), database=stored)
    @seed(number)
    @given(drawn(name))
    def holds(case: Case) -> None:
        made[name] += 1
        if broken(CHECKS[name], shorten, case):
            found.append(case)
            raise AssertionError

    with contextlib.suppress(Exception):
        holds()
    return found[-1] if found else None


def fuzz(shorten: Summarizer, number: int, seconds: float, calls: int | None = None) -> tuple[Counter[str], list[str]]:
    """The number of cases for each check, and a message for each kind of failure."""
    rng, made, failures = random.Random(number), Counter[str](), {}
    end = time.monotonic() + seconds
    names, shares = list(CHECKS), [_SHARES.get(name, 1.0) for name in CHECKS]
    while time.monotonic() < end and (calls is None or made.total() < calls):
        name = names[made.total()] if made.total() < len(names) else rng.choices(names, shares)[0]  # each once
        if made.total() >= len(names) and rng.random() < _HYPOTHESIS:
            case = by_hypothesis(shorten, name, rng.randrange(2**32), made)
        else:
            case = {"seed": rng.randrange(10**9)} if name in ATTACKS else make_case(rng)
            made[name] += 1
        why = broken(CHECKS[name], shorten, case) if case else ""
        if why and (name, why[:25]) not in failures:
            case = smaller(CHECKS[name], shorten, case)
            why = broken(CHECKS[name], shorten, case) or why
            paste = shlex.quote(json.dumps(case, ensure_ascii=False))
            failures[name, why[:25]] = f"{why}\n  python benchmarks/fuzz.py --only {name} --case {paste}"
            print(failures[name, why[:25]], flush=True)
    return made, list(failures.values())
