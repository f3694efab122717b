"""Write page.png, page-climb.png and page-subtitles.png from the page itself, with the bundle in the package.

Not a part of `make docs`: look at the pictures, and choose other lengths if they do not read well.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlencode

from PIL import Image
from playwright.sync_api import Page, sync_playwright

DOCS = Path(__file__).parent
TEXT = (
    "A container ship carrying 4,200 tonnes of grain ran aground at the entrance to the port of Rotterdam early on "
    "Tuesday, but the harbour authority said there were no casualties."
)
CUES = re.findall(r"```\n(1\n.*?)```", (DOCS / "subtitles.md").read_text(encoding="utf-8"), re.DOTALL)[0]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def open_page(page: Page, address: str, **state: object) -> None:
    page.goto("about:blank")
    page.goto(f"{address}#{urlencode({'text': TEXT, **state})}")
    page.wait_for_selector("#chart svg")
    page.wait_for_selector("#status:empty", state="attached")


def take(address: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        context = browser.new_context(viewport={"width": 900, "height": 830}, reduced_motion="reduce")
        context.set_default_timeout(120_000)
        page = context.new_page()
        open_page(page, address, unit="words", size=6)
        page.locator(".word", has_text="Rotterdam").click()
        page.wait_for_selector(".word.pinned.kept")
        page.wait_for_selector("#status:empty", state="attached")
        page.mouse.move(0, 0)
        page.screenshot(path=DOCS / "page.png")
        print(page.text_content("#summary"))
        page.click("#subtitles-tab")
        page.fill("#cues-text", CUES)
        page.wait_for_selector("#cues:not(:has(textarea:disabled)) .accept")
        page.wait_for_selector("#status:empty", state="attached")
        page.locator(".accept").first.click()
        page.screenshot(path=DOCS / "page-subtitles.png")
        page.emulate_media(color_scheme="dark")
        open_page(page, address, unit="words", size=9)
        page.click("#climb > summary")
        page.wait_for_selector(".grid svg")
        page.locator("#climb").screenshot(path=DOCS / "page-climb.png")
        print(page.text_content(".candidate"))
        browser.close()
    for name in ("page.png", "page-climb.png", "page-subtitles.png"):
        Image.open(DOCS / name).convert("P", palette=Image.Palette.ADAPTIVE).save(DOCS / name, optimize=True)


if __name__ == "__main__":
    command = [sys.executable, "-m", "tersely", "serve", "--port", "0", "--workers", "1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        found = re.search(r"http://\S+?(?=;)", server.stderr.readline())
        assert found is not None
        try:
            take(found[0])
        finally:
            server.terminate()
