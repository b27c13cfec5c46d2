"""Campaigns that try to break what cellrate promises, each longer than a test may be.

CONTRIBUTING's table of targets lists all campaigns; `results` keeps their findings.
"""
