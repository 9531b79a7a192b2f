"""Everything about the final configuration as JSON, for programs."""

import json
import math
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from lsmtune import __version__
from lsmtune.backends.registry import backend_of
from lsmtune.exporters._base import Export, ExportContext
from lsmtune.exporters._composed import compose
from lsmtune.exporters._options_file import OptionsFileExport
from lsmtune.model import EngineBuild
from lsmtune.result import Change, Comparison, TuneResult

FORMAT_VERSION = 1
"""Version of the document. 1: study, engine, verdict, changes, values, overridden, warnings, findings."""


class JsonExport(Export):
    """The difference from the reference with its evidence, and all effective values; of LevelDB, the asked ones.

    Sizes are bytes at full size, ratios are gains over the reference (above 1 is better); what is not known is null.
    """

    name = "json"
    summary = "The difference with its evidence and all effective values, for programs."

    def text(self, context: ExportContext) -> str:
        """Return one JSON document; see `Export`."""
        composed = compose(context) if OptionsFileExport.name in backend_of(context.build).formats else None
        result, effective = context.result, context.values if composed is None else composed.effective
        best = result.verdict
        document = {
            "format": "lsmtune-configuration",
            "format_version": FORMAT_VERSION,
            "lsmtune_version": __version__,
            "study": _study(result),
            "engine": {"measured_with": _build(result.build), "written_for": _build(context.build)},
            "improved": result.improved,
            "verdict": None if best is None else _comparison(best),
            "full_size": _full_size(result),
            "changes": [_change(change, context) for change in result.changes],
            "together": _together(result),
            "values": dict(sorted({**context.tool_values(), **effective}.items())),
            "overridden": [] if composed is None else [asdict(each) for each in composed.overridden],
            "warnings": [str(finding) for finding in result.warnings],
            "findings": [finding.to_json() for finding in result.warnings],
        }
        return json.dumps(_finite(document), indent=2, allow_nan=False) + "\n"


def _study(result: TuneResult) -> dict[str, Any]:
    about, rules = result.description, result.rules
    return {
        "name": about.name,
        "created_at": datetime.fromtimestamp(about.created_at, UTC).isoformat(timespec="seconds"),
        "lsmtune_version": about.lsmtune_version,
        "host": about.host.name,
        "hosts": list(result.host_names),
        "runs": result.summary.runs,
        "done": result.decisions.done,
        "scale": None if result.facts.scale is None else str(result.facts.scale),
        "reference": rules.reference,
        "objective": dict(rules.objective.weights),
    }


def _full_size(result: TuneResult) -> dict[str, Any]:
    """Return memory and space at full size; null for what nothing tells."""
    memory, space = result.full_size, result.full_size_space
    return {
        "memory_bytes": None if memory is None else asdict(memory),
        "space_bytes": None if space is None else asdict(space),
    }


def _build(build: EngineBuild) -> dict[str, Any]:
    return {
        "engine": build.engine,
        "version": build.version,
        "path": str(build.path),
        "fingerprint": build.fingerprint,
        "assertions": build.assertions,
    }


def _comparison(comparison: Comparison) -> dict[str, Any]:
    claim = comparison.claim
    return {
        "accepted": comparison.accepted,
        "standing": str(comparison.standing),
        "decision": str(claim.decision),
        "gain": claim.gain,
        "low": claim.low,
        "high": claim.high,
        "n": claim.n,
        "parts": {name: asdict(part) for name, part in comparison.parts.items()},
        "indicators": {name: asdict(ratio) for name, ratio in comparison.indicators.items()},
        "guards": {name: asdict(guard) for name, guard in comparison.guards.items()},
        "limits": [
            {"indicator": each.limit.indicator, "relation": each.limit.relation, "value": each.limit.value}
            | asdict(each.seen)
            for each in comparison.limits
        ],
        "bounds_at_full_size": list(comparison.scaled),
        "troubles": asdict(comparison.troubles),
        "stability": None if comparison.stability is None else asdict(comparison.stability),
    }


def _change(change: Change, context: ExportContext) -> dict[str, Any]:
    option = context.catalogue.option(change.option)
    effect = None if change.evidence is None else change.evidence.effect
    return {
        "option": change.option,
        "flag": option.flag,
        "key": option.key,
        "section": option.section,
        "unit": option.unit,
        "before": change.before,
        "after": change.after,
        "earned": None if effect is None else asdict(effect),
        "taken_back_since": change.taken_back_since,
    }


def _together(result: TuneResult) -> dict[str, Any] | None:
    """Return the changes that were tested only together with each other, with their effect; None without any."""
    test = result.together
    if test is None or test.effect is None:
        return None
    return {"options": list(test.about.removed), "earned": asdict(test.effect)}


def _finite(value: Any) -> Any:
    """Return a JSON value with null for what is not a finite number: an interval without an end."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
