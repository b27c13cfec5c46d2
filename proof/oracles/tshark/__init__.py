"""tshark reads our captures and must come to our conclusions."""
