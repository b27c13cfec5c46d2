"""The evidence page: every promise of README, what tries to break it, and what it found.

`promises/*.toml` hold the promises, `../results` the figures of the campaigns.
"""
