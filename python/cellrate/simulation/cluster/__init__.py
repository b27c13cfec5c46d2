"""Runs many simulations on a Dask cluster; keeps and reuses results like `runner`."""

from cellrate.simulation.cluster.connection import LOCAL, Cluster

__all__ = ["LOCAL", "Cluster"]
