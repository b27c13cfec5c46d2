"""Other people's programs that must agree with cellrate: simulators and packet analysers."""

# Names for `python -m proof.oracles NAME`, each with the module that has it as `ORACLE`.
ORACLES = {
    "ns2": "proof.oracles.ns2",
    "ns3": "proof.oracles.ns3",
    "tshark": "proof.oracles.tshark",
}
