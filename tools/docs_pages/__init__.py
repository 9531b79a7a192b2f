"""The generated pages of the documentation; each function returns the text of one."""

from docs_pages._cli import cli_page
from docs_pages._experiment import experiment_page, schema_text
from docs_pages._indicators import indicators_page
from docs_pages._installed import completion, manual_page
from docs_pages._linter import linter_page
from docs_pages._options import options_page
from docs_pages._python import python_page
from docs_pages._targets import target_page

__all__ = [
    "cli_page",
    "completion",
    "experiment_page",
    "indicators_page",
    "linter_page",
    "manual_page",
    "options_page",
    "python_page",
    "schema_text",
    "target_page",
]
