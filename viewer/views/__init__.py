"""One small script a URL; what is long enough to have a name of its own stands beside it."""
