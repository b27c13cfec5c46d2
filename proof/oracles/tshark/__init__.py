"""Compares what tshark concludes from cellrate's captures with what the simulator did."""
