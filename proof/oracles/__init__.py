"""Other people's programs that must agree with cellrate: simulators and packet analysers."""

# What `python -m proof.oracles NAME` knows: the module that has it as `ORACLE`.
ORACLES = {
    "ns2": "proof.oracles.ns2",
    "ns3": "proof.oracles.ns3",
    "tshark": "proof.oracles.tshark",
}
