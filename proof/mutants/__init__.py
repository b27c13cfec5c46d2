"""Share of wrong programs that the tests let pass: mutants drawn at random, tried one by one.

A mutant is the program with one small fault put in by a tool: `+` for `-`, a function that
returns a constant. A test suite that is worth something fails for nearly all of them.
`python -m proof.mutants rust` draws from the engine, `python -m proof.mutants theory` from
the closed forms; both may be killed at any time and go on where they were.
"""
