"""How the pages of this repository become a site: `make docs` builds it offline, and a broken link is an error."""

import sys
from pathlib import Path

import lsmtune

sys.path.insert(0, str(Path(__file__).parent))

project = "lsmtune"
author = "the lsmtune contributors"
version = release = lsmtune.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "contents"]
root_doc = "README"
source_suffix = {".md": "markdown"}
# The pages are read on GitHub, too, so they lie where their links lead to there.
include_patterns = [
    "*.md",
    "docs/**.md",
    "reproductions/**.md",
    "examples/**.md",
    "native/ycsb/README.md",
]
exclude_patterns = [".*", "build", "studies", "demo-study", "tests", "src", "native/ycsb/build*", "**/node_modules"]

# Nothing but what GitHub shows as well.
myst_enable_extensions: list[str] = []
myst_heading_anchors = 4
nitpicky = True
# What annotations and "Raises" name is not always on a page; a sentence that refers to a function is checked.
nitpick_ignore_regex = [("py:class", ".*"), ("py:exc", ".*")]
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
napoleon_google_docstring = True
napoleon_numpy_docstring = False

html_theme = "pydata_sphinx_theme"
html_title = "lsmtune"
html_additional_pages = {"index": "index.html"}
templates_path = ["templates"]
html_static_path = ["static"]
html_css_files = ["cards.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
}
copyright = "the lsmtune contributors, Apache License 2.0"  # noqa: A001 - the name is Sphinx's
