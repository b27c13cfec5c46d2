"""Parameters for a network: a model or a search proposes them, the simulator disposes."""
