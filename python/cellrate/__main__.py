"""Runs the command `cellrate` for `python -m cellrate`."""

from cellrate_command import main

if __name__ == "__main__":
    main()
