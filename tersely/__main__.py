"""`python -m tersely`, the same as the command `tersely`."""

from tersely.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
