"""Coverage-guided fuzzing of everything that reads what others wrote.

The readers in Rust are fuzzed by cargo-fuzz (`fuzz/`), those in Python by Atheris (`checks`). Both
are libFuzzer inside, so both are run and counted alike.
"""
