"""Wrong experiment files: one sentence with its line for each problem, never a traceback."""

from pathlib import Path

import pytest

from lsmtune.errors import ExperimentError
from lsmtune.experiment import parse_experiment

W = '[workload]\nbenchmarks = "fillrandom"\nnum = "64M"\n'
S = '[space]\npreset = "write-heavy"\n'
B = W + S
"""The least that an experiment says: five lines."""

WRONG: dict[str, tuple[str, ...]] = {
    "an unknown key of a table": (
        W + "treads = 2\n" + S,
        '4: workload.treads is not a key of [workload]; did you mean "threads"?',
    ),
    "an unknown key at the top": (
        'scal = "1/64"\n' + B,
        '1: scal is not a key of an experiment; did you mean "scale"?',
    ),
    "a key under the wrong table": (
        "threads = 2\n" + B,
        "1: threads is not a key of an experiment; it belongs to [workload]",
    ),
    "a top key below a table": (
        B + "constraints = []\n",
        ("6: space.constraints is not a key of [space]; it belongs to the top of the file, above the first table"),
    ),
    "an unknown table": (
        B + '[budgets]\ntime = "20m"\n',
        '6: budgets is not a key of an experiment; did you mean "budget"?',
    ),
    "an unknown key like no other": (
        B + "[search]\nfrobnicate = 1\n",
        (
            "7: search.frobnicate is not a key of [search]; its keys are anchor_every, beat, cap, "
            "finalists, first, interest, noise_runs, pareto, rungs, sampler, seed, stop"
        ),
    ),
    "an unknown key of a range": (
        B + '[space.ranges]\nwrite_buffer_size = { lo = 1, high = "64MiB" }\n',
        ('7: space.ranges.write_buffer_size.lo is not a key of [space.ranges.write_buffer_size]; did you mean "low"?'),
    ),
    "a size that is none": (
        W + 'value_size = "1 KiBs"\n' + S,
        '4: workload.value_size: "1 KiBs" is not a size; write it like "64MiB", "512KiB" or 4096',
    ),
    "a size of nothing": (
        W + "value_size = 0\n" + S,
        "4: workload.value_size: 0 is outside the range from 1 B to 2 GiB",
    ),
    "a size that is a bool": (
        W + "value_size = true\n" + S,
        "4: workload.value_size: true is not a size; write a number or a text with a unit",
    ),
    "a time that is none": (
        W + 'duration = "10 sec"\n' + S,
        '4: workload.duration: "10 sec" is not a time; write it like "20m", "90s" or "1h 30m"',
    ),
    "a time of which a part has no unit": (
        B + '[budget]\ntime = "1h30"\n',
        '7: budget.time: "1h30" is not a time; write it like "20m", "90s" or "1h 30m"',
    ),
    "a negative time": (
        B + '[budget]\ntime = "-5m"\n',
        '7: budget.time: "-5m" is not a time; write it like "20m", "90s" or "1h 30m"',
    ),
    "a count that is none": (
        '[workload]\nbenchmarks = "fillrandom"\nnum = "many"\n' + S,
        '3: workload.num: "many" is not a count; write it like 1000000, "1_000_000" or "64M"',
    ),
    "a count that is infinite": (
        '[workload]\nbenchmarks = "fillrandom"\nnum = inf\n' + S,
        '3: workload.num: "inf" is not a count; write it like 1000000, "1_000_000" or "64M"',
    ),
    "a count of more than 64 bits": (
        '[workload]\nbenchmarks = "fillrandom"\nnum = "9223372036854775808"\n' + S,
        (
            '3: workload.num: "9223372036854775808" is more than a number of 64 bits holds; write at most '
            "9223372036854775807"
        ),
    ),
    "a number of more than 64 bits": (
        B + "[search]\nseed = 0x" + "f" * 5000 + "\n",
        "7: search.seed is a number of more than 64 bits; write a smaller one",
    ),
    "a scale above one": (
        "scale = 2\n" + B,
        '1: scale: "2" is outside (0, 1]; write it like "1/64" or 1',
    ),
    "a scale of nothing": (
        'scale = "1/0"\n' + B,
        '1: scale: "1/0" is not a scale; write it like "1/64" or 1',
    ),
    "a name that is no folder": (
        'name = "../evil"\n' + B,
        (
            '1: name: "../evil" is not a name; use at most 80 letters, digits, dots, dashes and '
            "underscores, beginning with a letter or digit"
        ),
    ),
    "a text where a number belongs": (
        W + 'threads = "2"\n' + S,
        '4: workload.threads: "2" is not a whole number',
    ),
    "a fraction where a whole number belongs": (
        B + "[search]\nfinalists = 2.5\n",
        "7: search.finalists: 2.5 is not a whole number",
    ),
    "a number where a bool belongs": (
        W + "disable_wal = 1\n" + S,
        "4: workload.disable_wal: 1 is not true or false; write it without quotes",
    ),
    "a text where a fraction belongs": (
        W + 'compression_ratio = "half"\n' + S,
        '4: workload.compression_ratio: "half" is not a number',
    ),
    "a list where text belongs": (
        W + 'measure = ["fillrandom"]\n' + S,
        '4: workload.measure: a list is not text; write it in quotes, "..."',
    ),
    "a value where a table belongs": (
        'workload = "fillrandom"\n' + S,
        ('1: workload: "fillrandom" is not a table; write [workload] on a line of its own and its keys below'),
    ),
    "a number where names belong": (
        '[workload]\nbenchmarks = 3\nnum = "64M"\n' + S,
        '2: workload.benchmarks: 3 is not a list of names; write "a,b" or ["a", "b"]',
    ),
    "a text where a list belongs": (
        W + '[space]\noptions = "block_size"\n',
        '5: space.options: "block_size" is not a list of texts; write it like ["a", "b"]',
    ),
    "a date where a path belongs": (
        B + "[engine]\ndb_bench = 2024-01-01\n",
        "7: engine.db_bench: 2024-01-01 is not a path; write it as text in quotes",
    ),
    "a flag that is a list": (
        W + "[workload.flags]\nmix_get_ratio = [1]\n" + S,
        ("5: workload.flags.mix_get_ratio: a list is not a single value; write a number, a text, true or false"),
    ),
    "no threads": (
        W + "threads = 0\n" + S,
        "4: workload.threads: 0 is outside the range; write at least 1",
    ),
    "a compression ratio above one": (
        W + "compression_ratio = 1.5\n" + S,
        "4: workload.compression_ratio: 1.5 is outside the range; write at most 1",
    ),
    "a compression ratio of nothing": (
        W + "compression_ratio = 0\n" + S,
        "4: workload.compression_ratio: 0 is outside the range; write more than 0",
    ),
    "a weight that is not a number": (
        B + "[objective]\nwaf = nan\n",
        "7: objective.waf: nan is not a finite number",
    ),
    "a cap of one": (
        B + "[search]\ncap = 1.0\n",
        "7: search.cap: 1.0 is outside the range; write more than 1",
    ),
    "anchors too close": (
        B + "[search]\nanchor_every = 1\n",
        "7: search.anchor_every: 1 is outside the range; write at least 2",
    ),
    "six finalists": (
        B + "[search]\nfinalists = 6\n",
        "7: search.finalists: 6 are more than a single result needs; write at most 5, or pareto = true for a front",
    ),
    "nine finalists": (
        B + "[search]\npareto = true\nfinalists = 9\n",
        "8: search.finalists: 9 is outside the range; write at most 8",
    ),
    "a seed from the clock": (
        B + "[search]\nseed = 0\n",
        "7: search.seed: 0 is outside the range; write at least 1",
    ),
    "an unknown sampler": (
        B + '[search]\nsampler = "sobel"\n',
        (
            '7: search.sampler: "sobel" is not "random", "sobol", "grid", "tpe", "smac", "agp", "gp", '
            '"cmaes", "anneal", "ga", "ga-jin2022", "nsga2", "nsga3" or "steps"; did you mean "sobol"?'
        ),
    ),
    "an unknown engine": (
        B + '[engine]\nname = "level-db"\n',
        '7: engine.name: "level-db" is not "rocksdb" or "leveldb"; did you mean "leveldb"?',
    ),
    "an unknown way to settle": (
        W + 'settle = "waits"\n' + S,
        '4: workload.settle: "waits" is not "wait" or "none"; did you mean "wait"?',
    ),
    "no workload": (
        S,
        '1: workload is missing; write [workload] with benchmarks = "fillrandom" and num = "64M"',
    ),
    "no benchmarks": (
        '[workload]\nnum = "64M"\n' + S,
        '1: workload.benchmarks is missing; write benchmarks = "fillrandom"',
    ),
    "no number of keys": (
        '[workload]\nbenchmarks = "fillrandom"\n' + S,
        '1: workload.num is missing; write the number of keys at full size, num = "64M"',
    ),
    "no space": (
        W,
        ('1: space is missing; write [space] with preset = "write-heavy" or options = ["write_buffer_size"]'),
    ),
    "a space without options": (
        W + "[space]\n",
        ('4: space has no option to search; write preset = "write-heavy" or options = ["write_buffer_size"]'),
    ),
    "a space of excluded options": (
        W + '[space]\noptions = ["block_size"]\nexclude = ["block_size"]\n',
        ('4: space has no option to search; write preset = "write-heavy" or options = ["write_buffer_size"]'),
    ),
}
"""Text of a file, then the problems with their lines: wrong keys, types and ranges."""


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_file_is_refused_with_one_sentence_for_each_problem(case: str) -> None:
    text, *expected = WRONG[case]
    with pytest.raises(ExperimentError) as refusal:
        parse_experiment(text, Path("experiment.toml"))
    assert str(refusal.value).splitlines() == [f"experiment.toml:{line}" for line in expected]
