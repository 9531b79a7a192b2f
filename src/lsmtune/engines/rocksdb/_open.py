"""Opening an empty database for a moment: does the engine take these options, and what does it make of them?"""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from lsmtune.engines._program import ask
from lsmtune.engines.rocksdb._options_file import OptionsFile
from lsmtune.errors import EngineError
from lsmtune.model import EngineBuild


def open_with(build: EngineBuild, options_text: str | None, flags: Sequence[str]) -> str:
    """Open an empty database with options, and return the OPTIONS text that the engine wrote (about 0.1 s).

    The text holds what the engine made of the options. Folders that the file names for logs (``wal_dir``,
    ``db_log_dir``) are left out, so that nothing but a temporary folder is written to.

    Args:
        build: the engine to ask.
        options_text: text of an OPTIONS file; its options win over `flags` (db_bench's rule); None for flags alone.
        flags: db_bench flags such as ``"--write_buffer_size=1048576"``.

    Raises:
        EngineError: the engine refuses; the message is its own. Or it does not end in time.
        UsageError: `options_text` is no OPTIONS file.
    """
    with tempfile.TemporaryDirectory(prefix="lsmtune-open-") as folder:
        database = Path(folder, "db")
        database.mkdir()
        arguments = ["--benchmarks=levelstats", "--seed=1", f"--db={database}", *flags]
        if options_text is not None:
            file = Path(folder, "options.ini")
            file.write_text(OptionsFile.parse(options_text, "the OPTIONS text").without_paths().text())
            arguments.append(f"--options_file={file}")
        answer = ask(build.path, arguments)
        if answer.code != 0:
            raise EngineError(f"RocksDB {build.version} refuses these options: {answer.complaint.replace(folder, '')}")
        written = sorted(database.glob("OPTIONS-*[0-9]"), key=lambda path: int(path.name.removeprefix("OPTIONS-")))
        if not written:
            raise EngineError(f"{build.path} ended well, but wrote no OPTIONS file; is it a db_bench?")
        return written[-1].read_text()
