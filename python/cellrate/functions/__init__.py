"""The commands of `cellrate` as Python functions with typed results, which notebooks show."""
