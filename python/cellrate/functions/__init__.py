"""The commands of `cellrate` as Python functions, which return objects that notebooks display."""
