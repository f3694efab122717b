"""Drawn SRT and WebVTT files: tags, speakers, positions, byte order marks, both line breaks, odd times and scripts."""

from __future__ import annotations

import random

from tiny_bundle import WORDS

_PARTS = ["so", "and", "not", "you", "know,", "well,", "um,", "I", "mean,", "the", "never", "Paris", "3.5", "it's"]
_ODD = ["שלום", "مرحبا", "👩‍👩‍👧", "café", "日本語", "&amp;", "♪", "a<b", "—", "…", "#2", "C:\\x", "{x}"]
_TAGS = [("<i>", "</i>"), ("<b>", "</b>"), ('<font color="#ff0000">', "</font>"), ("<c.loud>", "</c>"), ("<i>", "")]
_SETTINGS = ["", " align:start position:10%", " line:0", " X1:10 X2:600"]


def _time(milliseconds: int, vtt: bool) -> str:
    seconds, rest = divmod(milliseconds, 1000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{'.' if vtt else ','}{rest:03}"


def _sentence(rng: random.Random) -> str:
    words = [rng.choice(_PARTS if rng.random() < 0.4 else WORDS) for _ in range(rng.randint(1, 16))]
    if rng.random() < 0.2:
        words.insert(rng.randrange(len(words) + 1), rng.choice(_ODD))
    text = " ".join(words)
    text = text[:1].upper() + text[1:] if rng.random() < 0.7 else text
    return text + rng.choice([".", ".", "?", "!", "", "", ",", "...", "…", " —"])


def _line(rng: random.Random, vtt: bool) -> str:
    text = rng.choice(["", "", "", "…", "...", "ANNA: ", "♪ "]) + _sentence(rng)
    if rng.random() < 0.25:
        words = text.split(" ")
        first, (opening, closing) = rng.randrange(len(words)), rng.choice(_TAGS)
        last = rng.randrange(first, len(words))
        words[first], words[last] = opening + words[first], words[last] + closing
        text = " ".join(words)
    if rng.random() < 0.1:
        text = rng.choice(["<v Anna>", "<v Bob Smith>"] if vtt else ["{\\an8}", "{\\pos(10,20)}"]) + text
    return text


def _text(rng: random.Random, vtt: bool) -> str:
    lines = [_line(rng, vtt) for _ in range(rng.choice([1, 1, 2, 2, 3]))]
    if rng.random() < 0.25:
        dash = rng.choice(["- ", "-", "– "])
        lines = [dash + line for line in lines]
    if rng.random() < 0.05:
        lines[0] = "<00:00:01.000>" + lines[0] if vtt else ""
    return "\n".join(line for line in lines if line)


def draw_file(rng: random.Random) -> tuple[str, bytes]:
    """The suffix and the content of a file."""
    vtt, now, parts = rng.random() < 0.5, rng.randrange(10_000), []
    if vtt:
        parts.append("WEBVTT" + rng.choice(["", " - a title", "\nKind: captions"]))
        parts += rng.choice([[], ["STYLE\n::cue { color: red }"], ["NOTE made by hand"]])
    for number in range(1, rng.randint(2, 12)):
        length = rng.choice([0, 300, 900, 1500, 2500, 4000, rng.randrange(8000)])
        times = f"{_time(now, vtt)} --> {_time(now + length, vtt)}{rng.choice(_SETTINGS)}"
        name = rng.choice(["", f"{number}\n", "a name\n"]) if vtt else f"{number if rng.random() < 0.9 else 7}\n"
        parts.append(f"{name}{times}\n{_text(rng, vtt)}")
        if vtt and rng.random() < 0.1:
            parts.append("NOTE\nnot to be shown")
        now = max(0, now + length + rng.choice([0, 0, 80, 500, 3000, -400]))
    text = "".join(part + "\n" * rng.choice([2, 2, 2, 3]) for part in parts)
    text = text.rstrip("\n") + "\n" * rng.randrange(3)
    text = text.replace("\n", "\r\n") if rng.random() < 0.3 else text
    return ".vtt" if vtt else ".srt", text.encode("utf-8-sig" if rng.random() < 0.3 else "utf-8")
