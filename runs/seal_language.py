"""Write the checksum of an edited language.json into bundle.json: `python runs/seal_language.py [BUNDLE]`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tersely.bundle.bundle import DEFAULT_BUNDLE, DESCRIPTION, LANGUAGE, open_bundle, sha256
from tersely.bundle.writing import read_language_file

if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_BUNDLE
    read_language_file(folder / LANGUAGE)
    description = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
    description["files"][LANGUAGE] = sha256(folder / LANGUAGE)
    (folder / DESCRIPTION).write_text(json.dumps(description, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(open_bundle(folder).signature)
