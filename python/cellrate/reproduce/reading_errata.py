"""Reads the errata of a paper."""

from pathlib import Path

from cellrate.reproduce.errors import ReproduceError
from cellrate.reproduce.paper_data import Erratum, Proof
from cellrate.reproduce.reader import Reader, check_unique, read_toml


def read_errata(path: Path) -> tuple[Erratum, ...]:
    """Reads the errata of a paper, in the order of the file; empty if there is no file.

    Raises:
        ReproduceError: If an erratum is not as `papers/README.md` says.
    """
    if not path.exists():
        return ()
    reader = Reader(read_toml(path), f"{path.parent.name}/{path.name}")
    errata = tuple(map(_erratum, reader.tables("erratum")))
    reader.done()
    check_unique([erratum.id for erratum in errata], reader.place, "errata")
    return errata


def _erratum(reader: Reader) -> Erratum:
    erratum = Erratum(
        id=reader.text("id"),
        where=reader.text("where"),
        printed=reader.text("printed"),
        right=reader.text("right"),
        why=reader.text("why"),
        proofs=tuple(map(_proof, reader.tables("proof"))),
    )
    reader.done()
    if not erratum.proofs:
        raise ReproduceError(f"{reader.place} `{erratum.id}`: an erratum needs a proof")
    return erratum


def _proof(reader: Reader) -> Proof:
    values = []
    for each in reader.tables("values"):
        values.append((each.text("quantity"), each.expression("measure"), each.text("unit", "")))
        each.done()
    proof = Proof(
        text=reader.text("text"),
        holds_if=reader.expression("holds_if"),
        values=tuple(values),
        uses=reader.texts("uses"),
    )
    reader.done()
    return proof
