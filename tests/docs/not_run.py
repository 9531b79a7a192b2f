"""Commands of tutorials and guides that no test of the pages runs, each with its reason and the test that covers it.

A key is the page, as its path below `docs`, and the command as `doc_pages.typed` gives it: lines that go on are joined
by one space, and a comment behind it is left out. A value is one of the reasons below, or a sentence of its own: why
the command cannot run here, a colon, and the test elsewhere that covers it (`tests/FOLDER/test_file.py` or
`tests/FOLDER/test_file.py::test_name`), or the words "nothing covers it".

One entry a line. `test_doc_commands.py` refuses a command that is neither run nor listed here, an entry whose command
is on no page or is run, and a test that is not there.
"""

BUILD = "it compiles for minutes what it fetches: tests/native_builds/test_build_engines.py"
BUILD_DRIVER = "it compiles for a minute: tests/native_builds/test_build_driver.py"
CLUSTER = "it needs addresses of other machines: tests/hosts/test_hosts_tutorial.py"
INSTALL = "it installs into the environment that runs the tests: tests/test_wheel.py"
CONTAINER = "it needs a container engine: nothing covers it"

NOT_RUN: dict[tuple[str, str], str] = {
    ("how-to/building-engines.md", "lsmtune build rocksdb"): BUILD,
    ("how-to/building-engines.md", "lsmtune build rocksdb --version 10.4.2"): BUILD,
    ("how-to/building-engines.md", "lsmtune build driver --rocksdb 11.8.1"): BUILD_DRIVER,
}
