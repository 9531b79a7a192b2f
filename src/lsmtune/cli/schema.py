"""lsmtune schema."""

from lsmtune.cli._common import print_json


def schema() -> None:
    """Print the JSON Schema of experiment files, for editors."""
    from lsmtune.experiment import experiment_schema

    print_json(experiment_schema())
