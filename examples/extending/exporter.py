"""An exporter of one's own: the changes of a study's result as variables of a shell, with the evidence for each."""

import sys
from collections.abc import Iterator

import lsmtune
from lsmtune.exporters import Export, ExportContext
from lsmtune.report import verdict_sentence


class ShellExport(Export):
    """What differs from the reference, as ``export NAME=VALUE``; sizes are bytes at full size."""

    name = "shell"
    summary = "Variables of a shell for what differs from the reference."

    def text(self, context: ExportContext) -> str:
        """Return lines of a shell; see `Export`."""
        return "\n".join(self._lines(context)) + "\n"

    def _lines(self, context: ExportContext) -> Iterator[str]:
        yield f"# {verdict_sentence(context.result)}"
        for change in context.result.changes:
            effect = None if change.evidence is None else change.evidence.effect
            shown = "not tested alone" if effect is None else f"ablation effect from n = {effect.n}"
            yield f"# was {change.before}; {shown}"
            yield f"export ROCKSDB_{change.option.upper()}={change.after}"


def main(folder: str) -> None:
    """Print the result of a study."""
    result = lsmtune.load(folder).result
    print(ShellExport().text(ExportContext(result, result.build)), end="")


if __name__ == "__main__":
    main(sys.argv[1])
