"""Shared by the other packages: files that are whole or not there, numbers, HTML, the terminal."""
