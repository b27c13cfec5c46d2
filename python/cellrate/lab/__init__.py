"""The lab: the engine in a page, served to the browser of this machine or written as one file."""
