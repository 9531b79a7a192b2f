"""Cabinet, an invented engine, and its benchmark: the worked example of docs/contribute/adding-an-engine.md."""
