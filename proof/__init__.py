"""Campaigns that try to break what cellrate promises, each longer than a test may be.

CONTRIBUTING's table of targets has them all; `results` keeps what they found.
"""
