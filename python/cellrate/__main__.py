"""Runs the command `cellrate` for `python -m cellrate`."""

from cellrate.cli import main

if __name__ == "__main__":
    main()
