"""Opening an empty database for a moment: does the engine take these options, and what does it make of them?"""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from lsmtune.backends._program import ask
from lsmtune.backends.rocksdb._options_file import OptionsFile, numbered_options
from lsmtune.errors import EngineError
from lsmtune.model import EngineBuild


def open_with(build: EngineBuild, options_text: str | None, arguments: Sequence[str]) -> str:
    """Open an empty database with options, and return the OPTIONS text that the engine wrote (about 0.1 s).

    The text holds what the engine made of the options. Folders that the file names for logs (``wal_dir``,
    ``db_log_dir``) are left out, so that nothing but a temporary folder is written to.

    Args:
        build: the engine to ask, db_bench or lsmtune's driver.
        options_text: text of an OPTIONS file; None for `arguments` alone. Its options win over flags of db_bench, and
            ``-o`` of the driver wins over it.
        arguments: options as the tool takes them: ``"--write_buffer_size=1048576"``; ``"-o", "block_cache=8388608"``.

    Raises:
        EngineError: the engine refuses; the message is its own. Or it does not end in time.
        UsageError: `options_text` is no OPTIONS file.
    """
    with tempfile.TemporaryDirectory(prefix="lsmtune-open-") as folder:
        database = Path(folder, "db")
        database.mkdir()
        file = None
        if options_text is not None:
            file = Path(folder, "options.ini")
            file.write_text(OptionsFile.parse(options_text, "the OPTIONS text").without_paths().text())
        words = _opening(build.tool, database, file)
        answer = ask(build.path, [*words, *arguments])
        if answer.code != 0:
            complaint = answer.complaint.removeprefix("ycsb: ").replace(folder, "")
            raise EngineError(f"RocksDB {build.version} refuses these options: {complaint}")
        written = numbered_options(database)
        if not written:
            raise EngineError(f"{build.path} ended well, but wrote no OPTIONS file; is it a {build.tool}?")
        return written[-1].read_text()


def _opening(tool: str, database: Path, file: Path | None) -> list[str]:
    """Return the words with which a tool opens an empty database and does next to nothing with it."""
    if tool == "ycsb":
        words = ["--engine", "rocksdb", "--db", str(database), "--phases", "load", "-p", "recordcount=1"]
        return words if file is None else [*words, "--options-file", str(file)]
    words = ["--benchmarks=levelstats", "--seed=1", f"--db={database}"]
    return words if file is None else [*words, f"--options_file={file}"]
