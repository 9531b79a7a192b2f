"""Experiments whose parts do not fit together: one sentence with its line for each problem, never a traceback."""

from pathlib import Path

import pytest

from lsmtune.errors import ExperimentError
from lsmtune.experiment import parse_experiment

W = '[workload]\nbenchmarks = "fillrandom"\nnum = "64M"\n'
S = '[space]\npreset = "write-heavy"\n'
B = W + S
"""The least that an experiment says: five lines."""
REPLAY = '[workload]\nbenchmarks = "replay"\nnum = "64M"\n[workload.flags]\n'
THERE = f'trace_file = "{Path(__file__)}"\n'

WRONG: dict[str, tuple[str, ...]] = {
    "a step with an unknown option": (
        B + '[[steps]]\nname = "a"\nset = { blok_size = "8MiB" }\n',
        '8: steps.set.blok_size: "blok_size" is not an option of rocksdb; did you mean block_size?',
    ),
    "a step with an impossible value": (
        B + '[[steps]]\nname = "a"\n[steps.set]\nwrite_buffer_size = "lots"\n',
        '9: steps.set.write_buffer_size: "lots" is not a size; write it like "64MiB", "512KiB" or 4096',
    ),
    "a size below zero": (
        B + '[space.fixed]\ncache_size = "-5MiB"\n',
        '7: space.fixed.cache_size cannot be "-5MiB", which is below 0; write it like "64MiB"',
    ),
    "own options that are the reference and missing": (
        B + '[engine]\nreference = "options"\n',
        '7: engine.reference is "options", but the table [engine.options] is missing; write it',
    ),
    "an own option that is fixed, too": (
        B + "[engine.options]\nblock_size = 8192\n[space.fixed]\nblock_size = 4096\n",
        "9: space.fixed.block_size is fixed and stands in engine.options; take it out of one of them",
    ),
    "an own option that is fixed under its other name": (
        B + "[engine.options]\nmax_open_files = 500\n[space.fixed]\nopen_files = 100\n",
        "9: space.fixed.open_files is fixed and stands in engine.options; take it out of one of them",
    ),
    "an option under both of its names": (
        B + '[space.fixed]\ncompression_type = "lz4"\ncompression = "zstd"\n'
        '[[compare]]\nname = "a"\nset = { max_open_files = 500, open_files = 100 }\n',
        "8: space.fixed.compression is another name of compression_type; take one of them out",
        "11: compare.set.open_files is another name of max_open_files; take one of them out",
    ),
    "an own option that does not exist and one with an impossible value": (
        B + '[engine.options]\nblok_size = 8192\nbloom_bits = "many"\n',
        '7: engine.options.blok_size: "blok_size" is not an option of rocksdb; did you mean block_size?',
        '8: engine.options.bloom_bits: "many" is not a count; write it like 1000000, "1_000_000" or "64M"',
    ),
    "two steps of one name": (
        B + '[[steps]]\nname = "a"\nset = { block_size = 8192 }\n[[steps]]\nname = "a"\nset = { bloom_bits = 10 }\n',
        '10: steps.name: "a" stands there twice; give each one a name',
    ),
    "a configuration that sets nothing": (
        B + '[[compare]]\nname = "a"\nset = {}\n',
        '8: compare.set: sets nothing; write it like set = { write_buffer_size = "8MiB" }',
    ),
    "an axis of the workload that is none": (
        B + "[sample.axes]\nthread = { values = [1, 2] }\n",
        '7: sample.axes.thread is no axis of the workload; did you mean "threads"?',
    ),
    "half an axis of the workload": (
        B + "[sample.axes]\nthreads = { low = 1 }\n",
        "7: sample.axes.threads is half a range; write low and high, or values",
    ),
    "an axis with an impossible value": (
        B + "[sample.axes]\ncompression_ratio = { low = 0.5, high = 2 }\n",
        "7: sample.axes.compression_ratio cannot be 2; write a number from 0.01 to 1",
    ),
    "an axis of values that no record has": (
        B + '[sample.axes]\nvalue_size = { low = 1, high = "4GiB" }\n',
        "7: sample.axes.value_size cannot be '4GiB'; write a number from 1 to 2.14748e+09",
    ),
    "an axis that is on or off": (
        B + "[sample.axes]\ndisable_wal = { values = [0, 1] }\n",
        "7: sample.axes.disable_wal is on or off; write values = [false, true]",
    ),
    "an axis of the wrong type": (
        B + '[sample.axes]\nthreads = { values = ["two"] }\n',
        "7: sample.axes.threads cannot be 'two'; write a whole number",
    ),
    "benchmarks that name none": (
        '[workload]\nbenchmarks = ""\nnum = "64M"\n' + S,
        '2: workload.benchmarks names no benchmark; write it like benchmarks = "fillrandom"',
    ),
    "an unknown benchmark": (
        '[workload]\nbenchmarks = "fillrandon"\nnum = "64M"\n' + S,
        '2: workload.benchmarks: "fillrandon" is not a benchmark of db_bench; did you mean "fillrandom"?',
    ),
    "an unknown benchmark in a list": (
        '[workload]\nbenchmarks = [\n  "fillseq",\n  "readrandum",\n]\nnum = "64M"\n' + S,
        '4: workload.benchmarks: "readrandum" is not a benchmark of db_bench; did you mean "readrandom"?',
    ),
    "an unknown benchmark of the load": (
        '[workload]\nbenchmarks = "readrandom"\nload = "fillsequence"\nnum = "64M"\n' + S,
        '3: workload.load: "fillsequence" is not a benchmark of db_bench; did you mean "fillseq"?',
    ),
    "a benchmark of the processor": (
        '[workload]\nbenchmarks = "crc32c"\nnum = "64M"\n' + S,
        '2: workload.benchmarks: "crc32c" never touches a database, so no option changes it; take it out',
    ),
    "a benchmark with repeats": (
        '[workload]\nbenchmarks = "fillrandom[X3]"\nnum = "64M"\n' + S,
        ('2: workload.benchmarks: "fillrandom[X3]" asks for repeats, which lsmtune makes itself; write "fillrandom"'),
    ),
    "a benchmark twice": (
        '[workload]\nbenchmarks = "fillrandom,fillrandom"\nnum = "64M"\n' + S,
        '2: workload.benchmarks: "fillrandom" stands there twice; lsmtune repeats runs itself',
    ),
    "a second fill": (
        '[workload]\nbenchmarks = "fillseq,fillrandom"\nnum = "64M"\n' + S,
        (
            '2: workload.benchmarks: "fillrandom" begins with an empty database, but what "fillseq" wrote would be '
            'counted with it; take one of them out, or write "overwrite"'
        ),
    ),
    "a second fill of the load": (
        '[workload]\nbenchmarks = "readrandom"\nload = "fillseq,fillrandom"\nnum = "64M"\n' + S,
        (
            '3: workload.load: "fillrandom" begins with an empty database, but what "fillseq" wrote would be counted '
            'with it; take one of them out, or write "overwrite"'
        ),
    ),
    "a phase that reads and begins anew": (
        '[workload]\nbenchmarks = "fillseq,timeseries"\nnum = "64M"\n' + S,
        (
            '2: workload.benchmarks: "timeseries" begins with an empty database, but what "fillseq" wrote would be '
            'counted with it; take one of them out, or write "overwrite"'
        ),
    ),
    "a phase that replaces keys of its own after a load": (
        '[workload]\nbenchmarks = "randomreplacekeys"\nload = "fillseq"\nnum = "64M"\n' + S,
        (
            '2: workload.benchmarks: "randomreplacekeys" starts with an empty database, so it cannot follow '
            'workload.load; take load out, or write "overwrite"'
        ),
    ),
    "a replay without a trace": (
        '[workload]\nbenchmarks = "replay"\nnum = "64M"\n' + S,
        ('2: workload.benchmarks: "replay" needs a trace; write trace_file = "/path/to/trace" under [workload.flags]'),
    ),
    "a replay of a file that is not there": (
        REPLAY + 'trace_file = "/nowhere/trace"\n' + S,
        (
            '2: workload.benchmarks: "replay" has no trace: there is no file /nowhere/trace; record one with db_bench '
            "--trace_file"
        ),
    ),
    "a replay of a file whose folder is not said": (
        REPLAY + 'trace_file = "trace"\n' + S,
        (
            '2: workload.benchmarks: "replay" needs the whole path of its trace, not "trace"; write trace_file = '
            '"/path/to/trace"'
        ),
    ),
    "a replay without column families": (
        REPLAY + THERE + S,
        (
            '2: workload.benchmarks: "replay" finds no column family where there is one alone; write '
            "num_column_families = 2, or as many as were recorded, under [workload.flags]"
        ),
    ),
    "a replay beside what would write over its trace": (
        REPLAY.replace("replay", "replay,overwrite") + THERE + "num_column_families = 2\n" + S,
        (
            '2: workload.benchmarks: "replay" cannot stand beside overwrite, which would write over the trace; take '
            "it out"
        ),
    ),
    "a replay of several clients": (
        REPLAY.replace("num", "threads = 2\nnum") + THERE + "num_column_families = 2\n" + S,
        (
            '2: workload.benchmarks: "replay" has one client thread, not 2; write trace_replay_threads under '
            "[workload.flags]"
        ),
    ),
    "a replay of a given time": (
        REPLAY.replace("num", 'duration = "10s"\nnum') + THERE + "num_column_families = 2\n" + S,
        "3: workload.duration: replay ignores it and runs its operation count; take duration out",
    ),
    "a replay at a smaller scale": (
        'scale = "1/4"\n' + REPLAY + THERE + "num_column_families = 2\n" + S,
        '3: workload.benchmarks: "replay" cannot shrink a trace to the scale 1/4; write scale = 1',
    ),
    "only utilities": (
        '[workload]\nbenchmarks = "flush,stats"\nnum = "64M"\n' + S,
        ('2: workload.benchmarks has no phase that measures anything; add one that writes or reads, "fillrandom"'),
    ),
    "a measured phase that is not run": (
        W + 'measure = "readrandom"\n' + S,
        '4: workload.measure: "readrandom" is not a phase of benchmarks; write "fillrandom"',
    ),
    "a measured phase that measures nothing": (
        '[workload]\nbenchmarks = "fillrandom,flush"\nnum = "64M"\nmeasure = "flush"\n' + S,
        '4: workload.measure: "flush" measures nothing; choose a phase that writes or reads',
    ),
    "reads without data": (
        '[workload]\nbenchmarks = "readrandom"\nnum = "64M"\n' + S,
        (
            "1: workload.load is missing; readrandom reads, so workload.load must say how the data is "
            'built, for example load = "fillseq"'
        ),
    ),
    "an overwrite without data": (
        '[workload]\nbenchmarks = "overwrite"\nnum = "64M"\n' + S,
        (
            "1: workload.load is missing; overwrite changes data that is there, so workload.load must say "
            'how the data is built, for example load = "fillseq"'
        ),
    ),
    "a load that builds nothing": (
        '[workload]\nbenchmarks = "readrandom"\nload = "readseq"\nnum = "64M"\n' + S,
        '3: workload.load begins with "readseq", which builds no data; write load = "fillseq"',
    ),
    "a load that reads": (
        '[workload]\nbenchmarks = "readrandom"\nload = "fillseq,readseq"\nnum = "64M"\n' + S,
        '3: workload.load: "readseq" builds no data; move it to workload.benchmarks',
    ),
    "a fill after a load": (
        W + 'load = "fillseq"\n' + S,
        (
            '2: workload.benchmarks: "fillrandom" starts with an empty database, so it cannot follow '
            'workload.load; take load out, or write "overwrite"'
        ),
    ),
    "a scale to climb to that is not larger": (
        'scale = "1/16"\n' + B + '[verify]\nscales = ["1/16", "1/4"]\n',
        "8: verify.scales: begin with 1/16, no larger scale than that of the study, 1/16; write larger ones",
    ),
    "scales to climb to at full size": (
        B + "[verify]\nscales = [1]\n",
        "7: verify.scales: begin with 1, no larger scale than that of the study, 1; write larger ones",
    ),
    "scales to climb to that fall": (
        'scale = "1/64"\n' + B + '[verify]\nscales = ["1/4", "1/16"]\n',
        '8: verify.scales: 1/16 stands after 1/4; write scales rising and each once, like ["1/16", "1/4"]',
    ),
    "a scale to climb to twice": (
        'scale = "1/64"\n' + B + '[verify]\nscales = ["1/4", "1/4"]\n',
        '8: verify.scales: 1/4 stands after 1/4; write scales rising and each once, like ["1/16", "1/4"]',
    ),
    "more scales than anyone climbs": (
        'scale = "1/64"\n' + B + '[verify]\nscales = ["1/32", "1/16", "1/8", "1/4", "1/2"]\n',
        "8: verify.scales: 5 scales are too many; write at most 4",
    ),
    "a scale to climb to that is no list": (
        'scale = "1/64"\n' + B + '[verify]\nscales = "1/4"\n',
        '8: verify.scales: "1/4" is no list; write it like ["1/16", "1/4"]',
    ),
    "a share of a climb without scales": (
        B + "[verify]\nshare = 0.2\n",
        '7: verify.share has no effect without scales; write scales = ["1/4"] beside it',
    ),
    "a share that leaves nothing for the search": (
        'scale = "1/64"\n' + B + '[verify]\nscales = ["1/4"]\nshare = 0.9\n',
        "9: verify.share: 0.9 is outside the range; write at most 0.8",
    ),
    "a climb of a front": (
        'scale = "1/64"\n'
        + B
        + '[objective]\nwaf = 1\nspace_bytes = 1\n[search]\npareto = true\n[verify]\nscales = ["1/4"]\n',
        (
            "13: verify.scales: are climbed with one result of a search, not where pareto = true asks for a front; "
            "take scales out"
        ),
    ),
    "a climb beyond what the disk may hold": (
        'scale = "1/64"\n' + B + '[verify]\nscales = ["1/4"]\n[host]\nmax_disk = "512MiB"\n',
        (
            "8: verify.scales: go up to 1/4, where the workload writes 1007 MiB, more than host.max_disk = 512 MiB; "
            "raise that or take the scale out"
        ),
    ),
    "rungs that leave too few keys": (
        B + '[search]\nrungs = ["1/65536", "1/4"]\n',
        "7: search.rungs: the lowest of 1/65536 leaves 976 keys; at least 1,000 are needed, so write a larger one",
    ),
    "rungs of a run whose time is fixed": (
        '[workload]\nload = "fillseq"\nbenchmarks = "readrandom"\nnum = "64M"\nduration = "10s"\n'
        + S
        + '[search]\nrungs = ["1/4"]\n',
        "9: search.rungs: save no time where workload.duration says how long a run takes; take one of them out",
    ),
    "rungs that do not rise": (
        B + '[search]\nrungs = ["1/4", "1/16"]\n',
        '7: search.rungs: a rung of 1/4 below one of 1/16 saves too little; write them rising, like ["1/16", "1/4"]',
    ),
    "three rungs": (
        B + '[search]\nrungs = ["1/64", "1/16", "1/4"]\n',
        "7: search.rungs: 3 rungs are too many; two below the whole run are the most that pay",
    ),
    "a rung that is no list": (
        B + '[search]\nrungs = "1/4"\n',
        '7: search.rungs: "1/4" is no list; write it like ["1/4"]',
    ),
    "a duration that is ignored": (
        '[workload]\nbenchmarks = "fillseq"\nnum = "64M"\nduration = "10s"\n' + S,
        "4: workload.duration: fillseq ignores it and runs its operation count; take duration out",
    ),
    "a duration that a check of what was written ignores": (
        '[workload]\nbenchmarks = "randomwithverify"\nload = "fillseq"\nnum = "64M"\nduration = "10s"\n' + S,
        "5: workload.duration: randomwithverify ignores it and runs its operation count; take duration out",
    ),
    "too few keys": (
        'scale = "1/64"\n[workload]\nbenchmarks = "fillrandom"\nnum = 6400\n' + S,
        ("4: workload.num: 6,400 keys at scale 1/64 are 100; at least 1,000 are needed, so raise num or scale"),
    ),
    "keys that are not distinct": (
        W + "key_size = 2\n" + S,
        (
            "4: workload.key_size: 2 bytes tell only 65,536 keys apart, fewer than the 64,000,000 at scale "
            "1; write at least 8"
        ),
    ),
    "operations that vanish": (
        'scale = "1/64"\n' + W + "operations = 10\n" + S,
        "5: workload.operations: 10 at scale 1/64 are less than 1; raise operations",
    ),
    "a flag that lsmtune sets": (
        W + "[workload.flags]\nseed = 7\n" + S,
        "5: workload.flags.seed is set by lsmtune itself; write search.seed",
    ),
    "a flag that lsmtune needs": (
        W + "[workload.flags]\nuse_existing_db = true\n" + S,
        "5: workload.flags.use_existing_db is set by lsmtune itself; take it out",
    ),
    "a flag with dashes": (
        W + '[workload.flags]\n"--mix_get_ratio" = 1\n' + S,
        "5: workload.flags.--mix_get_ratio is written with dashes; write mix_get_ratio alone",
    ),
    "a flag that is an option": (
        W + '[workload.flags]\nwrite_buffer_size = "64MiB"\n' + S,
        ("5: workload.flags.write_buffer_size is an option, not a part of the workload; put it under [space.fixed]"),
    ),
    "a reference without its file": (
        B + '[engine]\nreference = "options_file"\n',
        '7: engine.reference is "options_file", but engine.options_file is missing; write its path there',
    ),
    "an options file that is missing": (
        B + '[engine]\noptions_file = "OPTIONS-000007"\n',
        "7: engine.options_file: OPTIONS-000007 does not exist; write the path of an OPTIONS file",
    ),
    "runs for the noise only": (
        B + "[budget]\nruns = 5\n",
        "7: budget.runs: 5 are used up by the 5 search.noise_runs; write at least 6",
    ),
    "less disk than data": (
        B + '[host]\nmax_disk = "1GiB"\n',
        (
            "7: host.max_disk: 1 GiB is less than the 3.934 GiB that the workload writes at scale 1; raise "
            "max_disk or lower scale"
        ),
    ),
    "an unknown preset": (
        W + '[space]\npreset = "write-heavi"\n',
        (
            '5: space.preset: "write-heavi" is not a preset of rocksdb; choose one of write-heavy, '
            "read-heavy, balanced, all, jin2022"
        ),
    ),
    "an unknown option": (
        W + '[space]\noptions = [\n  "block_size",\n  "blom_bits",\n]\n',
        '7: space.options: "blom_bits" is not an option of rocksdb; did you mean bloom_bits?',
    ),
    "an unknown option to exclude": (
        B + 'exclude = ["compresion_type"]\n',
        '6: space.exclude: "compresion_type" is not an option of rocksdb; did you mean compression_type?',
    ),
    "a range for an unknown option": (
        B + "[space.ranges]\nblok_size = { low = 1, high = 2 }\n",
        '7: space.ranges.blok_size: "blok_size" is not an option of rocksdb; did you mean block_size?',
    ),
    "a range for an option not searched": (
        B + '[space.ranges]\nblock_size = { low = "1KiB", high = "64KiB" }\n',
        "7: space.ranges.block_size is not searched; add it to space.options, or take the range out",
    ),
    "a range upside down": (
        B + '[space.ranges]\nwrite_buffer_size = { low = "1GiB", high = "64MiB" }\n',
        ("7: space.ranges.write_buffer_size has low 1073741824 and high 67108864; low has to be less than high"),
    ),
    "a range with a wrong size": (
        B + '[space.ranges]\nwrite_buffer_size = { low = "small", high = "64MiB" }\n',
        ('7: space.ranges.write_buffer_size: "small" is not a size; write it like "64MiB", "512KiB" or 4096'),
    ),
    "a range and values": (
        B + '[space.ranges]\nwrite_buffer_size = { low = "8MiB", values = ["64MiB"] }\n',
        (
            "7: space.ranges.write_buffer_size: a range is either low and high, or values; write it like { "
            'low = "16MiB", high = "1GiB" }'
        ),
    ),
    "a range of a choice": (
        B + "[space.ranges]\ncompression_type = { low = 1, high = 3 }\n",
        '7: space.ranges.compression_type takes a list of values, so "low" has no meaning; remove it',
    ),
    "a value that a choice does not have": (
        B + '[space.ranges]\ncompression_type = { values = ["lz5"] }\n',
        ('7: space.ranges.compression_type cannot be "lz5"; choose from none, snappy, lz4, lz4hc, zlib, zstd, bzip2'),
    ),
    "a fixed value of the wrong kind": (
        B + '[space.fixed]\nblock_size = "big"\n',
        '7: space.fixed.block_size: "big" is not a size; write it like "64MiB", "512KiB" or 4096',
    ),
    "a fixed option that is searched": (
        W + '[space]\noptions = ["block_size", "bloom_bits"]\n[space.fixed]\nblock_size = "4KiB"\n',
        "7: space.fixed.block_size is fixed and stands in space.options; take it out of one of them",
    ),
    "an unknown fixed option": (
        B + "[space.fixed]\nfoo_bar_baz = 1\n",
        ('7: space.fixed.foo_bar_baz: "foo_bar_baz" is not an option of rocksdb; look for it in the catalogue'),
    ),
    "an unknown indicator": (
        B + "[objective]\nthroughput = 1\n",
        (
            '7: objective.throughput: "throughput" is not an indicator; did you mean throughput_ops_s or '
            "throughput_bytes_s?"
        ),
    ),
    "a fact as objective": (
        B + "[objective]\nflush_count = 1\n",
        (
            '7: objective.flush_count: "flush_count" is a fact, neither more nor less of it is better; '
            "choose another indicator"
        ),
    ),
    "a negative weight": (
        B + "[objective]\nwaf = -1\n",
        "7: objective.waf: -1 is outside the range; write more than 0",
    ),
    "an indicator of a phase that is not there": (
        B + '[objective]\n"throughput_ops_s@readrandom" = 1\n',
        (
            '7: objective.throughput_ops_s@readrandom: "readrandom" is no other phase of '
            "workload.benchmarks; write throughput_ops_s"
        ),
    ),
    "a guard on an unknown indicator": (
        B + '[guards]\nspaces = "1.1x"\n',
        '7: guards.spaces: "spaces" is not an indicator; did you mean space_bytes or space_amp?',
    ),
    "a guard that cannot be read": (
        B + '[guards]\nspace_bytes = "a bit"\n',
        '7: guards.space_bytes: "a bit" is not a guard; write "1.10x", "10%" or a limit like "<= 4GiB"',
    ),
    "a limit of a trial's own result that cannot be read": (
        B + '[guards]\ntrial_score = ">= much"\n',
        '7: guards.trial_score: the limit "much" is not a number; write it like 1.5 or -2e3',
    ),
    "a guard that demands a gain": (
        B + '[guards]\nspace_bytes = "0.9x"\n',
        (
            '7: guards.space_bytes: the guard on "space_bytes" allows a ratio of 0.9; write 1.0 or more, '
            "for example 1.05 for 5 % worse"
        ),
    ),
    "a guard that is a number": (
        B + "[guards]\nspace_bytes = 1.1\n",
        '7: guards.space_bytes: 1.1 is not text; write it in quotes, "..."',
    ),
    "a limit in a wrong unit": (
        B + '[guards]\nlatency_p99_s = "<= 5MiB"\n',
        '7: guards.latency_p99_s: the limit "5MiB" is not a time; write it like "20m", "90s" or "1h 30m"',
    ),
    "a constraint that cannot be parsed": (
        'constraints = [\n  "cache_size <= 1 GiB",\n  "cache_size =< 1",\n]\n' + B,
        '3: constraints: constraint "cache_size =< 1", column 12: "=" cannot be read; compare with ==',
    ),
    "a constraint on an unknown option": (
        'constraints = ["cash_size <= 1 GiB"]\n' + B,
        '1: constraints: "cash_size" is not an option of rocksdb; did you mean cache_size?',
    ),
    "a search of genes that neither a sample nor a name says": (
        B + '[reproduce]\nof = "jin2022"\nsample = false\n',
        '8: reproduce.sample is false, so that no ranking gives the genes; write genes = ["write_buffer_size"]',
    ),
    "a front of one indicator": (
        B + "[search]\npareto = true\n",
        (
            "7: search.pareto is a front between 2 to 4 indicators, but the objective weighs 1; write them in "
            "[objective], for example throughput_ops_s = 1 and space_bytes = 1"
        ),
    ),
    "a front of five indicators": (
        B + "[objective]\nwaf = 1\ncpu_s = 1\nspace_bytes = 1\ntotal_time_s = 1\nmemory_peak_bytes = 1\n"
        "[search]\npareto = true\n",
        (
            "13: search.pareto is a front between 2 to 4 indicators, but the objective weighs 5; write them in "
            "[objective], for example throughput_ops_s = 1 and space_bytes = 1"
        ),
    ),
    "an array of tables": (
        W + '[[space]]\npreset = "write-heavy"\n',
        "4: space: a list is not a table; write [space] on a line of its own and its keys below",
    ),
}
"""Text of a file, then the problems with their lines: what does not fit together or does not exist."""


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_file_is_refused_with_one_sentence_for_each_problem(case: str) -> None:
    text, *expected = WRONG[case]
    with pytest.raises(ExperimentError) as refusal:
        parse_experiment(text, Path("experiment.toml"))
    assert str(refusal.value).splitlines() == [f"experiment.toml:{line}" for line in expected]
