"""Other people's programs that must agree with cellrate: simulators and packet analysers."""
