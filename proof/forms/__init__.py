"""Closed forms of queues, noise and fair rates, and the simulator beside them."""
