"""`python -m cellrate` is the command `cellrate`."""

from cellrate.cli import main

if __name__ == "__main__":
    main()
