"""What tests/docs/test_doc_commands.py does not run of tutorials and guides: each with its reason and what covers it.

A key of `NOT_RUN` is the page, as its path below `docs`, and the command as it stands there: lines that end in a
backslash are joined by one space, and a comment behind the command is left out. A value says why the command cannot run
in this test and which test covers it: a path below the root of the repository (`tests/FOLDER/test_file.py`), or the
words "nothing covers it". Reasons that several commands share have a name.

A command fails the test if it is neither run nor listed here; so does an entry whose command is on no page, and a path
that is not there. One entry a line, under the heading of its page.
"""

RUN_ELSEWHERE: dict[str, str] = {
    "tutorials/from-production.md": "tests/production/test_tutorial.py",  # on the real engine
    "tutorials/hosts.md": "tests/hosts/test_hosts_tutorial.py",  # with a scheduler and workers as processes
}
"""Pages of which another test runs every command."""

BUILD = "It downloads an engine and compiles it for minutes; tests/native_builds/test_build_engines.py"
BUILD_DRIVER = "It compiles the driver for a minute; tests/native_builds/test_build_driver.py"
CLUSTER = "It needs several machines; tests/hosts/test_hosts_tutorial.py"
CONTAINER = "It needs a container engine and a registry, and was tried by hand; nothing covers it"
DRIVER_LOG = "The stand-in for the driver leaves no LOG; tests/cli/test_cli_max_rate.py"
INSTALL = "It would change the environment of the tests; tests/test_wheel.py"

NOT_RUN: dict[tuple[str, str], str] = {
    # how-to/building-engines.md
    ("how-to/building-engines.md", "lsmtune build rocksdb"): BUILD,
    ("how-to/building-engines.md", "lsmtune build rocksdb --version 10.4.2"): BUILD,
    ("how-to/building-engines.md", "lsmtune build driver --rocksdb 11.8.1"): BUILD_DRIVER,
    # how-to/check.md
    # how-to/compare-samplers.md
    (
        "how-to/compare-samplers.md",
        (
            "lsmtune bench-samplers reproductions/samplers/questions.toml --use judging --runs 50 --sampler agp "
            "--sampler random"
        ),
    ): "It takes half an hour; tests/cli/test_cli_bench_samplers.py asks a smaller file",
    # how-to/compare.md
    ("how-to/compare.md", "benchstat -col /arm fresh.txt"): "It is a program of Go's; tests/report/test_benchstat.py",
    # how-to/deploy.md
    # how-to/diagnose.md
    (
        "how-to/diagnose.md",
        'lsmtune tune service.toml --sampler steps --budget "40 runs" --quiet',
    ): "It takes minutes on a real engine; tests/production/test_tutorial.py",
    # how-to/from-a-service.md
    # how-to/from-a-trace.md
    (
        "how-to/from-a-trace.md",
        "lsmtune tune service.toml",
    ): "It takes half an hour on a real engine; tests/production/test_trace_import.py runs what was inferred",
    # how-to/hosts.md
    ("how-to/hosts.md", "lsmtune hosts scheduler --listen tls://lab-0:8786"): CLUSTER,
    ("how-to/hosts.md", "lsmtune hosts worker tls://lab-0:8786 --label nvme --scratch /data/lsmtune"): CLUSTER,
    ("how-to/hosts.md", "lsmtune hosts status tls://lab-0:8786"): CLUSTER,
    ("how-to/hosts.md", "lsmtune doctor --hosts tls://lab-0:8786"): CLUSTER,
    # how-to/install.md
    ("how-to/install.md", "python3 -m pip wheel --no-deps -w dist ."): INSTALL,
    ("how-to/install.md", "pip install dist/lsmtune-0.1.0-py3-none-any.whl"): INSTALL,
    ("how-to/install.md", "pipx install dist/lsmtune-0.1.0-py3-none-any.whl"): INSTALL,
    ("how-to/install.md", "pipx run --spec dist/lsmtune-0.1.0-py3-none-any.whl lsmtune doctor"): INSTALL,
    ("how-to/install.md", "pip install 'dist/lsmtune-0.1.0-py3-none-any.whl[report,analysis]'"): INSTALL,
    ("how-to/install.md", "pipx install --force 'dist/lsmtune-0.1.0-py3-none-any.whl[all]'"): INSTALL,
    ("how-to/install.md", "lsmtune build driver"): BUILD_DRIVER,
    ("how-to/install.md", "lsmtune build leveldb"): BUILD,
    ("how-to/install.md", "podman build -t lsmtune-demo ."): CONTAINER,
    ("how-to/install.md", "podman run --rm lsmtune-demo"): CONTAINER,
    # how-to/leveldb-bench.md
    ("how-to/leveldb-bench.md", "lsmtune build leveldb"): BUILD,
    (
        "how-to/leveldb-bench.md",
        "lsmtune tune leveldb-reads.toml",
    ): "It takes two minutes; the same with fewer keys runs, and tests/cli/test_cli_leveldb_bench.py",
    # how-to/max-rate.md
    (
        "how-to/max-rate.md",
        "lsmtune tune examples/max-rate.toml",
    ): "It takes three hours; tests/cli/test_cli_max_rate.py",
    ("how-to/max-rate.md", "lsmtune timeline studies/bears-compare 3"): DRIVER_LOG,
    ("how-to/max-rate.md", "lsmtune timeline studies/bears-compare 3 -o staircase.svg"): DRIVER_LOG,
    # how-to/nni.md
    # how-to/proposals.md
    # how-to/read-your-card.md
    # how-to/repeat-a-paper.md
    # how-to/steps.md
    # how-to/sweep.md
    # how-to/targets.md
    # how-to/timeline.md
    # how-to/trade-offs.md
    # how-to/troubleshooting.md
    # how-to/watch.md
    # how-to/ycsb.md
    ("how-to/ycsb.md", "lsmtune build driver"): BUILD_DRIVER,
    # tutorials/first-tuning.md
    # tutorials/notebook.md
    # tutorials/which-options-matter.md
    (
        "tutorials/which-options-matter.md",
        "lsmtune analyze studies/matter --indicator waf",
    ): "It computes for ten seconds and more; tests/cli/test_cli_analyze.py, on a smaller sample",
    (
        "tutorials/which-options-matter.md",
        "lsmtune reproduce reproductions/jin2022/sound.toml",
    ): "It takes hours; tests/cli/test_cli_reproduce.py, with fewer runs",
    # tutorials/your-configuration.md
}
