"""Cell-level simulation of closed-loop flow control (ATM ABR, UBR) under TCP."""
