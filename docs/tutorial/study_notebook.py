# A marimo notebook: `pip install marimo`, then `marimo edit docs/tutorial/study_notebook.py`.
import marimo

app = marimo.App(width="medium")


@app.cell
def _():
    import tempfile
    from functools import partial
    from pathlib import Path

    import marimo as mo
    from cellrate.simulation.runner import default_store, run_each
    from cellrate.studies import study
    from cellrate.studies.compare import Rules, compare
    from cellrate.studies.dataset import DataSet
    from cellrate.studies.plots import Chart, lines

    return (
        Chart,
        DataSet,
        Path,
        Rules,
        compare,
        default_store,
        lines,
        mo,
        partial,
        run_each,
        study,
        tempfile,
    )


@app.cell
def _(mo):
    mo.md(
        """
        # How much buffer do TCP connections need under EFCI, and under ERICA?

        A study is a scenario, what varies, and how often each point is run. Here a switch's buffer
        varies in round trips' worth of the link: the expression reckons with units.
        """
    )
    return


@app.cell
def _(study):
    asked = study.parse_study(
        """
        name = "buffers"
        template = "n-source"
        set = [
            "run.duration=100 ms",
            "measure.from=30 ms",
            "run.start_jitter=1 ms",
            "measure.traces=[]",
            "topology.bottleneck=200 km",
        ]

        [factors]
        "control.scheme" = ["efci", "erica"]
        trips = [0.25, 0.5, 1, 2]

        [derived]
        "switch.buffer" = "trips * rtt * rate"

        [replications]
        count = 4

        [measures]
        throughput = "throughput_mbit"
        loss = "cell_loss_ratio"
        """,
        "buffers.toml",
    )
    [(point.values, point.settings) for point in asked.points]
    return (asked,)


@app.cell
def _(mo):
    mo.md(
        """
        Finished runs are kept in the store: run the next cell again and nothing is simulated
        twice. What varies and what was measured are columns of one table.
        """
    )
    return


@app.cell
def _(DataSet, Path, asked, default_store, partial, run_each, study, tempfile):
    place = Path(tempfile.mkdtemp())
    executor = partial(run_each, store=default_store(place / "results"))
    ran = study.run_study(asked, executor, place / "buffers", print)
    data = DataSet(place / "buffers")
    data.runs.select("control.scheme", "trips", "switch.buffer", "throughput", "loss")
    return data, ran


@app.cell
def _(Chart, data, lines):
    drawing = lines(data.runs, Chart(x="trips", y="throughput", by="control.scheme"))
    drawing.figure
    return (drawing,)


@app.cell
def _(mo):
    mo.md(
        """
        Replications have common random numbers, so each seed compares the two schemes under the
        same circumstances: the difference is known better than either of them.
        """
    )
    return


@app.cell
def _(Rules, compare, data):
    comparison = compare(data.runs, Rules("control.scheme", ("throughput",), where=("trips",)))
    [(pair.where, pair.contrast.difference, pair.real) for pair in comparison.pairs]
    return (comparison,)


if __name__ == "__main__":
    app.run()
