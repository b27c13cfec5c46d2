"""Closed forms of the EFCI fluid model against values worked out by integration."""
