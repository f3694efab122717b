"""Cases for the promises, drawn from a seed: options, and texts (news, prices, quotes, many scripts, tokens, noise).

At least nine of ten cases shorten a text. The others are texts that fit, or impossible requests.
"""

from __future__ import annotations

import random
import unicodedata
from typing import Any

from tersely.candidates.length import UNITS
from tersely.candidates.measure import count_bytes, count_chars
from tersely.candidates.pixels import count_pixels
from tersely.text.words import tokenize

_PEOPLE = "Mr. Smith|Angela O'Brien|J. K. Rowling|Dr. Müller|the U.S. president|Cuba's minister|Yahoo!'s chief".split(
    "|"
)
_VERBS = "said|didn't pay|paid|cut|won't sell|has bought|fined|raised|'ll close|sued|denied that it owed".split("|")
_THINGS = "the port|state-of-the-art ships|a 43-year-old bank|AT&T|C++ code|its Ph.D. students|Disney+|grain".split("|")
_THINGS += ["Harrow & Finch", 'a 6" pipe']
_MONEY = "$5.2 billion|12.5%|12.5 %|US$ 3bn|100$|20 €|₺5|4,200|4 200|65 737 MAX|20\u00a0000|1-0|-3%|9/11".split("|")
_MONEY += "$.50|10-15%|5 %'s|£3m-£5m|5.25%-5.5%|$15–$20".split("|")
_ENDS = "on Tuesday|early in the '90s|at 5 a.m.|in 2019|after a 3-2 win|(AFP)|, but no one was hurt|-- so far".split(
    "|"
)
_ENDS += ["in Fresno, Calif.,"]
_QUOTES = ['"{}"', "'{}'", "“{}”", "‘{}’", "«{}»", "({})", "[{}]", "``{}''", '"{}"\'s', "{}’s", "{}´s", "{} 's", "{}%"]
_WORLD = (
    "हिन्दी समाचार पत्र|বাংলাদেশের প্রধানমন্ত্রী|தமிழ்நாட்டில் மழை|తెలుగులో వార్తలు|ភាសាខ្មែរ|မြန်မာဘာသာ စကား|ພາສາລາວ|ภาษาไทย ข่าว|"
    "שָׁלוֹם עוֹלָם|صحيفة العَرَبِيَّة|中国的船搁浅了。|東京で２０２０年、|彼はAT&Tの社員で、2020年に|"
    "한국 뉴스 속보|Россия’s газета|Ελλάδα στις|Việt Nam tie\u0302\u0301ng|Zoë’s naïve café"
).split("|")
_TOKENS = "cuba|'s|president|did|n't|pay|$|5|billion|%|##.#|-lrb-|-rrb-|``|''|UNK|,|.|#|the|£|and|'|u.s.|&|€".split("|")
_NOISE = "aAsS09.,'’‘ʼ\"“”-–—$%€#@&/:;()[]!?+*_ \t\u00a0…\u200b\u200d\u0301\ufe0f👍🇫中。é°\x00~`´&amp; 's n't --a"


def make_text(rng: random.Random) -> tuple[str, bool]:
    """A text, and whether it is tokens."""
    kind = rng.choices(["news", "world", "tokens", "noise", "anything"], [6, 2, 3, 2, 1])[0]
    if kind == "tokens":
        return " ".join(rng.choices(_TOKENS, k=rng.randint(1, 25))), True
    if kind == "noise":
        return "".join(rng.choices(_NOISE, k=rng.randint(1, 60))), rng.random() < 0.2
    if kind == "anything":
        return "".join(_character(rng) for _ in range(rng.randint(1, 40))), rng.random() < 0.2
    parts = [rng.choice(_WORLD) for _ in range(rng.randint(1, 3))] if kind == "world" else []
    for _ in range(rng.randint(0 if parts else 1, 2)):
        parts += [rng.choice(pool) for pool in (_PEOPLE, _VERBS, _THINGS, _MONEY, _ENDS)]
    parts = [rng.choice(_QUOTES).format(part) if rng.random() < 0.12 else part for part in parts]
    if rng.random() < 0.3:
        rng.shuffle(parts)
    if rng.random() < 0.2:
        parts.insert(
            rng.randint(1, len(parts)), rng.choice(["won! Then", "asked: who?! The", 'said "no. Never"', "go... A"])
        )
    if rng.random() < 0.05:
        parts.insert(0, rng.choice(["LONDON (Reuters) -", "WASHINGTON (AP) \u2014"]))
    text = " ".join(parts).replace(" ,", ",")
    return text + rng.choice(["", ".", "!", "?", "...", "\n"]), rng.random() < 0.05


def _character(rng: random.Random) -> str:
    while True:
        char = chr(rng.choice([rng.randint(1, 0x250), rng.randint(1, 0x3000), rng.randint(1, 0x10FFFF)]))
        if unicodedata.category(char) not in ("Cs", "Cn"):
            return char if rng.random() < 0.8 else " "


def make_case(rng: random.Random) -> dict[str, Any]:
    """A text and the options of a call, as a promise takes them."""
    odd = rng.random() < 0.08
    while True:
        text, tokens = make_text(rng)
        words = [token.text for token in tokenize(text, pretokenized=tokens) if not token.punctuation]
        if len(words) > 3 or odd:
            break
    options: dict[str, Any] = {"pretokenized": tokens, "seed": rng.randint(0, 9)}
    options |= _pins(rng, words, odd=odd) if words and rng.random() < 0.2 else {}
    options |= _length(rng, words, odd=odd, pinned="keep" in options)
    if rng.random() < 0.2:  # a second limit, or a reserve
        options |= _second(rng, text, options)
    if rng.random() < 0.3:
        options["objective"] = rng.choice(["paper", {"fluency": 1, "position": 2}, {"adjacency": 1, "clauses": 0.5}])
    if rng.random() < 0.2:
        searches = ["lattice", "hill_climbing", "annealing"]
        options["search"] = rng.choices(searches, [6, 1, 1])[0]
    if rng.random() < 0.2:
        options["n_best"] = rng.randint(1, 5)
    options |= {"case": "source"} if rng.random() < 0.1 else {}
    options |= {"end": "period"} if rng.random() < 0.2 else {}
    for flag, usual in (("punctuation", True), ("negation", True), ("diverse", False)):
        options |= {flag: not usual} if rng.random() < 0.1 else {}
    return {"text": text, "options": options}


def _pins(rng: random.Random, words: list[str], *, odd: bool) -> dict[str, Any]:
    """Something to keep, to drop or to prefer: mostly a word or a phrase of the text."""
    begin = rng.randrange(len(words))
    phrase = " ".join(words[begin : begin + rng.randint(1, 2)])
    patterns = [phrase, "numbers", "names", "negation", "the#2", "whale"]
    name, shares = rng.choice(["keep", "drop", "prefer"]), [1, 1, 1, 1, 1, 1] if odd else [9, 1, 1, 1, 0, 0]
    return {name: rng.choices(patterns, shares, k=3 if name == "prefer" else 1)}


def _length(rng: random.Random, words: list[str], *, odd: bool, pinned: bool) -> dict[str, Any]:
    """A length in any unit. Unless the case is odd, it is shorter than the text and has room for the pins."""
    unit = rng.choices(["words", "range", "ratio", "chars", "bytes", "pixels"], [5, 1, 2, 2, 1, 1])[0]
    n = len(words)
    if unit in ("chars", "bytes", "pixels"):
        count = {"chars": count_chars, "bytes": count_bytes, "pixels": count_pixels}[unit]
        sizes = sorted(map(count, words))
        least = sum(sizes[-4:]) + 4 if pinned else sizes[-1] if sizes else 1
        most = max(sum(sizes) - 1, 1)
        return {unit: rng.randint(1, 2 * most) if odd else rng.randint(min(least, most), most)}
    most = n + 2 if odd else max(n - 1, 1)
    size = rng.randint(min(4, most) if pinned and not odd else 1, most)
    if unit == "range":
        return {"words": [size, rng.randint(size, most)]}
    return {"ratio": max(round((size - 0.4) / (n + 2), 2), 0.01)} if unit == "ratio" else {"words": size}


def _second(rng: random.Random, text: str, options: dict[str, Any]) -> dict[str, Any]:
    """A second limit that a good part of the text has room in, or a reserve."""
    if rng.random() < 0.3:
        return {"reserve": rng.randint(0, 3)}
    free = [name for name in ("chars", "bytes", "pixels", "sms") if name not in options]
    unit = rng.choice(free)
    return {
        unit: rng.randint(1, 2) if unit == "sms" else max(1, round(UNITS[unit].count(text, 0) * rng.uniform(0.5, 1)))
    }


# What a careless program may pass for anything; none of it may end in anything but a TerselyError.
ODD = [None, True, -1, 0, 1.5, 10**400, "8", "", "ö" * 300, b"x", [], {}, [1], [None], {"fluency": None}, {"x": 1}]
ODD += [float("nan"), float("inf"), {"fluency": float("nan")}, object(), (), {1: 2}, "the#2", ["\ud800"], 2**70]
ODD += [-(10**5000), ["x" * 9_000], "a\nb", (6, 10), {"fluency": 1e306}, "a \ud800 b c"]
ODD += [["ship" + "#1" * 1_200], ["ship#" + "9" * 4_400]]
