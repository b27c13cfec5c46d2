"""The lab: a web page in which the engine runs, served to this machine or written as one file."""
