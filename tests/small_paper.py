"""Writes the data of a small paper: a made-up head, a scenario `a.toml`, and published results."""

from pathlib import Path

HEAD = 'id = "x"\ntitle = "t"\nauthors = []\npublished_in = "p"\nyear = 1\nsummary = "s"\n'


def write_paper(directory: Path, published: str, scenario: str = "") -> Path:
    """Writes the data into a directory, which it returns."""
    (directory / "scenarios").mkdir(parents=True)
    (directory / "scenarios" / "a.toml").write_text(scenario, "utf-8")
    (directory / "paper.toml").write_text(HEAD, "utf-8")
    (directory / "published.toml").write_text(published, "utf-8")
    return directory
