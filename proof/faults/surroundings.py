"""Unusual streams, environment variables and resource limits of a command."""

import os
import pwd
import resource
from collections.abc import Callable
from pathlib import Path

from proof.campaign import COMMAND
from proof.faults.ground import Files, Ground, at_most, is_root_with, study

STREAMS = {
    "standard output closed": ('exec "$0" "$@" >&-', 0),
    "standard error closed": ('exec "$0" "$@" 2>&-', 0),
    "standard input closed": ('exec "$0" "$@" <&-', 0),
    "all streams closed": ('exec "$0" "$@" <&- >&- 2>&-', 0),
    "standard error full": ('exec "$0" "$@" 2>/dev/full', 0),
    "the reader has gone": ('"$0" "$@" | :; exit 0', 0),
}
VARIABLES: dict[str, dict[str, str | None]] = {
    "no HOME": {"HOME": None},
    "HOME is nowhere": {"HOME": "/nowhere"},
    "no variables but PATH": dict.fromkeys(os.environ.keys() - {"PATH", "PYTHONPATH"}),
    "TMPDIR is nowhere": {"TMPDIR": "/nowhere"},
    "TMPDIR is full": {"TMPDIR": "/dev/full"},
    "LANG=C": {"LANG": "C", "LC_ALL": "C"},
    "no UTF-8 at all": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "ASCII streams": {"PYTHONIOENCODING": "ascii"},
    "one column": {"COLUMNS": "1", "LINES": "1"},
    "a terminal of no kind": {"TERM": "nothing", "COLUMNS": "x"},
    "another time zone": {"TZ": "Pacific/Kiritimati"},
}
LIMITS = {
    "open files": (resource.RLIMIT_NOFILE, [4, 5, 6, 8, 10, 12, 16, 24, 64]),
    "address space": (resource.RLIMIT_AS, [n << 20 for n in (500, 700, 900, 1200, 2000)]),
    "CPU time": (resource.RLIMIT_CPU, [1]),
    "stack": (resource.RLIMIT_STACK, [256 << 10, 1 << 20]),
}
PIPED = "/bin/sh", "-c", f'"{COMMAND}" new n-source | "$0" "$@"'
"""Words that pipe a template into the command that follows them."""
FEW_PROCESSES = 6, 8, 11, 12, 13, 14, 16, 20, 24, 32


def lacks() -> dict[str, str]:
    """Faults that cannot be caused here, each with the reason."""
    why = "only root can become another user, whose limit holds"
    able = is_root_with("setpriv") and is_root_with("prlimit")
    return {} if able else {"threads refused": why}


def campaign(ground: Ground, _: int) -> None:
    """Runs a study once in each surrounding: it ends with the same data set or a clear error."""
    odd = ground.place / "Größe µ 漢"
    odd.mkdir()
    file = odd / "stüdie.toml"
    file.write_text(study(2), encoding="utf-8")
    whole, _seconds = ground.undisturbed(file)
    through: tuple[str, ...]
    for what, (shell, code) in STREAMS.items():
        out, through = odd / what, ("/bin/sh", "-c", shell)
        ended = ground.run(what, "study", file, "--out", out, through=through)
        ground.expect(ended.returncode == code, f"{what}: {ended.returncode} {ended.stderr!r}")
        ground.same(what, out, whole)
        ground.counts["streams"] += 1
    for what, variables in VARIABLES.items():
        out = odd / what
        kept = {name: value for name, value in variables.items() if value is not None}
        unset = [part for name in variables.keys() - kept.keys() for part in ("-u", name)]
        through = ("env", *unset) if unset else ()
        ended = ground.run(what, "study", file, "--out", out, environment=kept, through=through)
        if "PYTHONUTF8" in variables:
            # Without a UTF-8 locale, names beyond ASCII cannot be decoded.
            ground.refused(what, ended, "UTF-8 locale")
        else:
            held = ended.returncode == 0
            ground.expect(held, f"{what}: {ended.returncode} {ended.stderr!r}")
            ground.same(what, out, whole)
        piped = (*PIPED, *through)
        shown = ground.succeeds(what, "explain", "-", environment=kept, through=piped)
        ground.expect(bool(shown.stdout), f"{what}: explain {shown}")
        ground.counts["variables"] += 1
    for what, (kind, values) in LIMITS.items():
        for value in values:
            _limited(ground, f"{what} {value}", file, at_most(kind, value), whole)
    _processes(ground, file)


def _limited(
    ground: Ground, what: str, file: Path, limit: Callable[[], None], whole: Files
) -> None:
    """Checks that a study under a limit ends well or in an error, and then well without limit."""
    out = file.with_name(what)
    process = ground.start("study", file, "--out", out, limit=limit)
    _, err = process.communicate(timeout=120)
    code = process.returncode
    # If the limit stops the interpreter or its libraries from loading, the message is theirs.
    begun = out.exists()
    if begun and code != 0:
        clear = "error: " in err or "memory allocation" in err or code < 0
        ground.expect(clear and "Traceback" not in err, f"{what}: {code} {err[-500:]!r}")
    ground.counts["limits: " + ("ended well" if code == 0 else "error told")] += 1
    ground.succeeds(f"{what}, without it", "study", file, "--out", out)
    ground.same(what, out, whole)


def _processes(ground: Ground, file: Path) -> None:
    """Runs studies as a user to whom the system refuses further threads."""
    if lacks():
        return
    ground.place.chmod(0o755)
    nobody = pwd.getpwnam("nobody")
    # The user may read all files, to reach the interpreter and the directory wherever these are.
    may = "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"
    humble = "setpriv", f"--reuid={nobody.pw_uid}", "--clear-groups", *may
    ended = ground.run("nobody", "--version", through=humble)
    if ended.returncode != 0:
        ground.skipped["threads refused"] = f"another user cannot run it: {ended.stderr[-200:]!r}"
        return
    for number in FEW_PROCESSES:
        out = ground.place / f"threads-{number}"
        out.mkdir()
        os.chown(out, nobody.pw_uid, -1)
        through = (*humble, "prlimit", f"--nproc={number}")
        ended = ground.run(f"{number} threads", "study", file, "--out", out, through=through)
        told = ended.returncode == 0 or "thread" in ended.stderr
        ground.expect(told, f"{number} threads: {ended.returncode} {ended.stderr[-400:]!r}")
        ground.counts["limits of threads"] += 1
