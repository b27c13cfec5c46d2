"""Modules that the other packages share: atomic files, numbers as text, documents, the terminal."""
