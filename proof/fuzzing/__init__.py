"""Coverage-guided fuzzing of all readers of input files.

Readers in Rust are fuzzed by cargo-fuzz (`fuzz/`), readers in Python by Atheris (`checks`). Both
tools use libFuzzer, so both are run and counted alike.
"""
