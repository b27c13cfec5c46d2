"""Messages of `cellrate tune` on input that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from cellrate.cli.app import run_command
from conftest import SCENARIOS

EFCI = SCENARIOS / "efci.toml"
BAD = [
    (["--vary", "abr.rfi"], "did you mean 'rif'?"),
    (["--vary", "abr.rif=1/2..1/8"], "1/2 is not below 1/8"),
    (["--vary", "abr.rif=1/2"], "only one value is given; use --set"),
    (["--vary", "abr.rif=0.1..0.3"], "not a power of two"),
    (["--vary", "abr.rif=fast,slow"], "a finite number such as 0.5 or 1/64"),
    (["--vary", "abr.rif=0.5..1e400"], "a finite number such as 0.5 or 1/64, but is '1e400'"),
    (
        ["--vary", "abr.rif=0.5..1e999999999"],
        "a finite number such as 0.5 or 1/64, but is '1e999999999'",
    ),
    (["--vary", "abr.pcr"], "--vary abr.pcr needs a range, --vary abr.pcr=LOW..HIGH"),
    (["--vary", "abr.nrm=2..8:cubic"], "allowed: linear, log, powers-of-two"),
    (["--vary", "abr.adtf=0.1..0.5"], "abr.adtf"),
    (["--vary", "abr"], "is a table; name one of its keys"),
    (["--vary", "flow"], "is a list; name a key of one of its elements"),
    (["--vary", "run.strict=false..true"], "LOW and HIGH must be numbers"),
    (["--vary", "="], "--vary takes PATH"),
    (["--vary", "abr.rif", "--vary", "abr.rif=1/2,1/4"], "the parameter is varied twice"),
    (["--vary", "switch.buffer=10 cells..infinite"], "both ends of a range must be finite"),
    (["--vary", "tcp.granularity=0 ms..5 ms:log"], "begins at 0 needs the scale `linear`"),
    (["--objective", "speed"], "there is no criterion 'speed'"),
    (["--objective", "loss,loss"], "loss comes twice"),
    (
        ["--objective", "completion", "--set", "run.duration=20 ms"],
        "a run of the scenario has no value of it; allowed: loss, utilisation, queue, ",
    ),
    (["--objective", "queue=2"], "a tolerance is a number of at least 0 and below 1"),
    (["--budget", "5"], "take 15 runs; allow --budget 15 or more, or fewer --seeds"),
    (["--vary", "run.seed=1..5"], "every setting gets the same seeds"),
    (["--include", "run.seed=7"], "every setting gets the same seeds"),
    (["--include", "rif"], "--include takes PATH=VALUE,PATH=VALUE"),
    (["--include", "rif=0.3"], "must be 2^-n with n from 0 to 15, but is 0.3"),
    (["--set", "switch.control={scheme='none'}"], "there is nothing to vary"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[" ".join(one) for one, _ in BAD])
def test_bad_input_is_told(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["tune", str(EFCI), *arguments, "--out", str(tmp_path)]) == 2
    told = capsys.readouterr()
    assert message in told.err
    assert told.out == ""
