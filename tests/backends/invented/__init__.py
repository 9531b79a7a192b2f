"""Cabinet, an engine that there is not, and its benchmark: the worked example of docs/adding-an-engine.md."""
