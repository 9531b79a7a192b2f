"""A command of the user's own, as lsmtune nni runs it."""
