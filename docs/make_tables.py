"""Write the tables in docs/ that the code decides: the factors, the needs of grammar with their costs, the word lists.

`make docs` runs it, and a test fails when a table is stale.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tersely.scoring.costs import COSTS
from tersely.scoring.factors import FACTORS
from tersely.sentence.english import TURNING

DOCS = Path(__file__).parent
# What a bundle has to have, in words, by the beginning of a tensor's name.
PARTS = {
    "forward": "language models", "backward": "language models", "vectors": "vectors", "idf": "idf",
    "counts": "counts", "parser": "parser", "editor": "editor",
}  # fmt: skip
# For each kind of need a phrase: the word in brackets is dropped, the word in capitals is kept and has lost it.
EXAMPLES = {
    "head of a function word": "THE old [harbour]",
    "head of a possessor": "the MAYOR'S [visit]",
    "head of a negation": "did NOT [pay]",
    "head of a modifier": "a DAMAGED [tanker]",
    "head of a compound": "an OIL [tanker]",
    "head of an argument": "the CREW [left] the ship",
    "head of a complement": "[wants] to LEAVE",
    "head of an adjunct": "[ran] aground at the PORT",
    "head of a clause": "[left] because it RAINED",
    "head of a conjunct": "[salt] and PEPPER",
    "head of an addition": "the [minister], a former PILOT",
    "verb of a speaker": "it rained, a SPOKESMAN [said]",
    "subject": "the [crew] LEFT",
    "subject of a helper": "the [crew] WILL leave",
    "object": "the crew REPAIRED the [engine]",
    "complement": "WANTS to [leave]",
    "particle": "GAVE [up]",
    "marker": "wants [to] LEAVE",
    "preposition": "aground [at] the PORT",
    "both sides of a preposition": "the [head] OF the union",
    "preposition of an addition": "members [of] the party, the PKK",
    "copula": "the port [is] OPEN",
    "auxiliary": "the port [was] CLOSED by the storm",
    "auxiliary beside another": "the port has [been] CLOSED",
    "helper of a helper": "the port [has] BEEN closed",
    "number": "[two] SHIPS",
    "number of a unit": "[5] MILLION",
    "part of a name": "[Ada] LOVELACE",
    "name of a company": "[Harbour] GROUP",
    "part of a place": "[South] AFRICAN",
    "antecedent": "the [mayor] said SHE would resign",
    "and": "salt [and] PEPPER",
    "and of clauses": "the ship sank [and] the crew LEFT",
    "second clause": "the ship [sank] and the crew LEFT",
    "first clause": "the ship [sank] AND the crew left",
    "shared object": "PRESS and hold the [button]",
    "other side": "between PARIS and [Rome]",
    "who is asked": "called on [allies] to HELP",
    "auxiliary of a pronoun": "she [was] HIRED",
    "auxiliary of a participle": "the storm [has] TAKEN lives",
    "auxiliary of a question": "what [is] the WAY home?",
    "word of a question": "[how] many ships CAME?",
    "what it is a part of": "the END of the [year]",
    "content": "the POTENTIAL to [harm]",
    "adjunct of a bare verb": "the house will GO back on the [market]",
    "place of an object": "TURNED chances into [goals]",
    "which one": "the [third] QUARTER",
    "scope of which one": "the highest LEVEL in [years]",
    "restriction": "PATIENTS who [walked] every day",
    "restriction of anyone": "PEOPLE who [smoke] should not take it",
    "restriction of only": "only STARTS after [rain]",
    "body of an empty noun": "on the [coldest] DAY",
    "body of an addition": "rates rose, the [third] INCREASE this year",
    "quality of a predicate": "it will be a [difficult] WINTER",
    "negation": "did [not] PAY",
    "doubt": "leave [if] it RAINS",
    "hedge": "[may] CLOSE",
    "connective": "left [because] it RAINED",
    "modal": "[will] CLOSE",
    "condition": "LEAVE if it [rains]",
    "exception": "OPEN except on [Sundays]",
    "turning head": "[unlikely] to FALL",
    "degree": "[only] TEN ships",
    "limit of a negation": "will not be BACK before [seven]",
    "fixed phrase": "[at] LEAST ten ships",
    "first word": "[the end] OF the year",
    "last word": "the DAMAGED [tanker]",
    "main predicate": "the crew [left] the ship",
}


def factors() -> list[str]:
    """The table of factors."""
    rows = ["| factor | log f | needs |", "|---|---|---|"]
    for kind in FACTORS.values():
        parts = dict.fromkeys(PARTS[tensor.partition(".")[0]] for tensor in kind.tensors)
        rows.append(f"| `{kind.name}` | {kind.meaning} | {', '.join(parts) or 'nothing'} |")
    return rows


def costs() -> list[str]:
    """The table of needs."""
    if different := COSTS.keys() ^ EXAMPLES.keys():
        raise SystemExit(f"EXAMPLES and the table of costs differ in the kinds {', '.join(sorted(different))}")
    rows = ["| kind of need | for example | cost |", "|---|---|---:|"]
    return rows + [f"| {kind} | {example} | {COSTS[kind]:g} |" for kind, example in EXAMPLES.items()]


def turning() -> list[str]:
    """The words that turn the meaning of another, kind by kind."""
    kinds = dict.fromkeys(TURNING.values())
    return [f"- {kind}: {', '.join(word for word, of in TURNING.items() if of == kind)}" for kind in kinds]


TABLES: dict[str, tuple[Callable[[], list[str]], ...]] = {"method.md": (factors,), "grammar.md": (costs, turning)}


def refreshed() -> dict[str, str]:
    """The pages with fresh tables, by name. Each table stands between two comments."""
    pages = {}
    for name, tables in TABLES.items():
        page = (DOCS / name).read_text(encoding="utf-8")
        for table in tables:
            begin, end = (
                f"<!-- {table.__name__}: made by docs/make_tables.py -->\n",
                f"<!-- end of {table.__name__} -->",
            )
            head, found, rest = page.partition(begin)
            _, ended, tail = rest.partition(end)
            if not found or not ended:
                raise SystemExit(f"{name} lacks the comments around a table: {begin.strip()} ... {end}")
            page = head + begin + "\n".join(table()) + "\n" + end + tail
        pages[name] = page
    return pages


if __name__ == "__main__":
    for name, page in refreshed().items():
        (DOCS / name).write_text(page, encoding="utf-8")
