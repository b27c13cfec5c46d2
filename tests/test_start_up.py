"""Help, complaints and small commands start without the libraries that load slowly."""

from __future__ import annotations

import importlib
import inspect
import random
import select
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import cyclopts
import pytest
from cellrate import _core
from cellrate.cli import usual_lines
from cellrate.cli.commands import GROUPS, commands
from cellrate.cli.commands import Command as Described
from cellrate.cli.parser import app
from cellrate.cli.pictures import with_picture
from cellrate.common.problems import BadInput
from conftest import Command

# Libraries of commands, then those that parse and help: a list of commands needs none of them.
SLOW = ("numpy", "polars", "scipy", "matplotlib", "optuna", "pandas", "distributed")
SLOWISH = (
    *("cyclopts", "rich", "tomllib", "hashlib", "dataclasses", "inspect", "json"),
    *("socket", "shutil", "difflib", "subprocess", "ctypes", "html", "pickle"),
)
# What a run, a check and an error of a scenario may import of these.
OF_A_RUN = {"dataclasses", "inspect", "json"}
# Runs the command, and prints which of the slow libraries it has imported.
WATCH = f"""
import sys
from cellrate.cli.app import run_command
code = run_command(sys.argv[1:])
imported = [name for name in {(*SLOW, *SLOWISH)!r} if name in sys.modules]
print("imported", imported, code, file=sys.stderr)
"""


# An unknown command looks for near names.
FRONT: list[list[str]] = [[], ["--help"], ["--version"]]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], 0),
        (["--help"], 0),
        (["--version"], 0),
        (["rnu"], 2),
        (["run", "--help"], 0),
        (["new", "n-source"], 0),
        (["new", "n-sorce"], 2),
        (["run", "scenario.toml", "--seed", "2"], 0),
        (["run", "scenario.toml", "--json", "--set", "flow.tcp.count=2"], 0),
        (["run", "scenario.toml", "--set", "flow.tcp.count=two"], 2),
        (["run", "nowhere.toml"], 2),
        (["validate", "scenario.toml"], 0),
        (["validate", "scenario.toml", "--set", "flow.tcp.count=two"], 2),
        (["validate", "nowhere.toml"], 2),
        (["list", "schemes"], 0),
        (["schema"], 0),
    ],
    ids=str,
)
def test_what_needs_no_slow_library_imports_none(
    arguments: list[str], code: int, tmp_path: Path
) -> None:
    short = {'duration = "2 s"': 'duration = "10 ms"', 'from = "500 ms"': 'from = "2 ms"'}
    text = _core.template("n-source")
    for before, after in short.items():
        assert before in text
        text = text.replace(before, after)
    (tmp_path / "scenario.toml").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", WATCH, *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    imported = done.stderr.splitlines()[-1]
    assert not any(repr(name) in imported for name in SLOW), done.stderr
    if "--help" not in arguments and arguments[:1] in (["run"], ["validate"]):
        assert not any(repr(name) in imported for name in {*SLOWISH} - OF_A_RUN), imported
    if arguments in FRONT:
        assert imported == f"imported [] {code}"
    if arguments == ["rnu"]:
        assert imported == f"imported ['difflib'] {code}"
    assert imported.endswith(f" {code}")


def test_the_package_imports_no_library_that_loads_slowly() -> None:
    watch = f"import cellrate, sys; print([n for n in {(*SLOW, *SLOWISH)!r} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", watch], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# Words of command lines: usual ones, and those that look like them.
WORDS = (
    *(
        "my.toml",
        "my.toml",
        "a b.toml",
        "-",
        "--",
        "",
        "other.toml",
        "--json",
        "--json",
        "--no-json",
    ),
    *(
        "--set",
        "--set",
        "flow.tcp.count=2",
        "a=",
        "=a",
        "a=[1, 2]",
        "--set=a=1",
        "a=--json",
        "x = 1",
    ),
    *("--seed", "--seed", "3", "0", "007", "1_0", "-1", "2.5", "٣", "9" * 18, "9" * 19, "--seed=3"),
    *(
        "--threads",
        "auto",
        "1",
        "0",
        "5000",
        "99999",
        "--out",
        "out",
        "--out=out",
        "-x",
        "--plan",
        "--help",
    ),
)


def test_a_usual_line_means_what_cyclopts_makes_of_it() -> None:
    chance = random.Random(11)  # noqa: S311
    usual = dict.fromkeys(("run", "validate"), 0)
    for _ in range(5000):
        name = chance.choice(("run", "validate"))
        picked = [chance.choice(WORDS) for _ in range(chance.randrange(6))]
        picked.insert(chance.randrange(len(picked) + 1), "my.toml")
        # Options with values as they are typed, too: few words by chance make such a line.
        options = [
            ("--set", "a.b=1"),
            ("--seed", chance.choice(WORDS)),
            ("--threads", chance.choice(WORDS)),
            ("--out", "there"),
        ]
        for option in chance.sample(options, chance.randrange(len(options))):
            picked += option
        line = usual_lines.parsed([name, *picked])
        if line is None:
            continue
        function, bound, _ = app.parse_args([name, *picked], exit_on_error=False, print_error=False)
        assert function.__name__ == line.command == name
        assert bound.arguments == {"file": line.file, **line.options}, picked
        usual[name] += 1
    assert min(usual.values()) > 100


@pytest.mark.parametrize(
    "line",
    [
        ["run"],
        ["run", "my.toml", "--seed"],
        ["run", "my.toml", "--seed", "2.5"],
        ["run", "my.toml", "--sede", "2"],
        ["run", "my.toml", "--threads", "0"],
        ["run", "my.toml", "--threads", "4097"],
        ["run", "my.toml", "other.toml"],
        ["validate", "my.toml", "--threads", "2"],
        ["validate", "my.toml", "--set"],
    ],
    ids=str,
)
def test_a_wrong_line_is_left_to_cyclopts(line: list[str]) -> None:
    assert usual_lines.parsed(line) is None
    # Others than those of cyclopts are raised by converters, which it calls.
    with pytest.raises((cyclopts.CycloptsError, BadInput)):
        app.parse_args(line, exit_on_error=False, print_error=False)


def test_help_describes_every_command_in_a_group(command: Command) -> None:
    lines = command("--help").stdout.splitlines()
    assert max(map(len, lines)) <= 80
    for group, members in GROUPS.items():
        start = lines.index(group) + 1
        shown = " ".join(" ".join(lines[start : lines.index("", start)]).split())
        for one in members:
            assert f"{one.name} {one.about}" in shown


@pytest.mark.parametrize("one", list(commands()), ids=lambda one: one.name)
def test_the_first_sentence_is_that_of_the_command(one: Described) -> None:
    module, name = one.target.split(":")
    target = getattr(importlib.import_module(f"cellrate.cli.{module}"), name)
    about = (target.help if isinstance(target, cyclopts.App) else inspect.getdoc(target)) or ""
    assert about.split("\n\n")[0].replace("\n", " ") == one.about


EXAMPLES = [line for one in commands() for line in one.examples if line.startswith("cellrate")]


@pytest.mark.parametrize("line", EXAMPLES)
def test_the_options_of_an_example_exist(line: str) -> None:
    arguments = with_picture(shlex.split(line.partition(" > ")[0])[1:])
    # Raises an error if an option is unknown, or a required one is missing.
    function, _, _ = app.parse_args(arguments, exit_on_error=False, print_error=False)
    assert callable(function)


def test_a_wrong_command_or_option_names_the_nearest(command: Command) -> None:
    assert "there is no command 'rnu', did you mean 'run'?" in command("rnu").stderr
    wrong = command("run", "x.toml", "--seeed", "1")
    assert wrong.returncode == 2
    assert "Did you mean --seed?" in wrong.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_knows_every_command(command: Command, shell: str) -> None:
    script = command("completion", shell).stdout
    for one in commands():
        assert one.name in script


def test_bash_completes_a_command(command: Command, tmp_path: Path) -> None:
    script = tmp_path / "cellrate.bash"
    script.write_text(command("completion", "bash").stdout, encoding="utf-8")
    ask = f"""
    source {script}
    COMP_WORDS=(cellrate siz); COMP_CWORD=1; COMP_LINE="cellrate siz"; COMP_POINT=12
    function=$(complete -p cellrate | sed 's/.*-F \\([^ ]*\\).*/\\1/')
    $function cellrate siz cellrate
    echo "${{COMPREPLY[@]}}"
    """
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash")
    done = subprocess.run([bash, "-c", ask], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "size-buffer", done.stderr


def test_a_line_for_a_pipe_does_not_wait_for_the_end() -> None:
    code = (
        "import sys; from cellrate.common import terminal; terminal.say('here'); sys.stdin.read()"
    )
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        waiting, _, _ = select.select([process.stdout], [], [], 60)
        process.stdin.close()
        assert waiting, "nothing was written before the end"
        assert process.stdout.readline() == b"here\n"
