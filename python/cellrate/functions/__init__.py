"""Commands as functions with typed results, which notebooks show; `cellrate` has all of them."""
