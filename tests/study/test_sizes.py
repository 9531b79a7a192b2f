"""How much less data would make runs short enough."""

from fractions import Fraction
from pathlib import Path

import pytest

from lsmtune.errors import UsageError
from lsmtune.experiment import parse_experiment, resized
from lsmtune.study._sizes import smaller_size

FILL = 'scale = "1/64"\n[workload]\nbenchmarks = "fillrandom"\nnum = "64M"\n[space]\npreset = "write-heavy"\n'
LEVELDB = '[engine]\nname = "leveldb"\n' + FILL.partition("\n")[2].replace("num", 'tool = "ycsb"\nnum').replace(
    "fillrandom", "load"
)


@pytest.mark.parametrize(
    ("wanted_s", "scale", "num"), [(30.0, "1/256", "27M"), (20.0, "1/512", "14M"), (39.9, "1/128", "39M")]
)
def test_the_work_of_a_run_follows_its_keys_and_the_rest_does_not_shrink(wanted_s: float, scale: str, num: str) -> None:
    size = smaller_size(FILL, run_s=60.0, fixed_s=8.0, wanted_s=wanted_s)
    assert (size.scale, size.num) == (scale, num)
    for share in (Fraction(scale) * 64, int(num[:-1]) / 64):
        assert 8 + 52 * float(share) <= wanted_s


def test_a_size_in_words_says_both_and_what_a_run_takes_then() -> None:
    words = smaller_size(FILL, 60.0, 0.0, 20.0).words
    assert words == ', or take less data: scale = "1/256" or num = "21M" would fit, with runs of at most 20 s'


def test_an_engine_of_one_size_takes_fewer_keys() -> None:
    size = smaller_size(LEVELDB, 60.0, 0.0, 20.0)
    assert (size.scale, size.num) == ("", "21M")
    assert parse_experiment(LEVELDB, Path("x.toml")).backend.shorter_runs == "take less data: a smaller workload.num"


def test_where_no_data_is_small_enough_it_is_said_why() -> None:
    size = smaller_size(FILL, 60.0, 25.0, 20.0)
    assert (size.scale, size.num) == ("", "")
    assert size.words == (
        "; no amount of data that says something makes a run, of which 25 s are beside its work, short enough"
    )


def test_a_run_that_nearly_fits_is_made_smaller_all_the_same() -> None:
    assert smaller_size(FILL, 60.0, 0.0, 61.0).scale == "1/128"


@pytest.mark.parametrize(
    ("text", "scale", "num", "expected"),
    [
        (FILL, "1/256", "", FILL.replace("1/64", "1/256")),
        (FILL.partition("\n")[2], "1/4", "", f'scale = "1/4"\n{FILL.partition(chr(10))[2]}'),
        (FILL.replace('"64M"', "64000000 # many"), "", "16M", FILL.replace('"64M"', '"16M" # many')),
        (FILL.replace('"64M"', "'64M'"), "1/8", "16M", FILL.replace('"64M"', '"16M"').replace("1/64", "1/8")),
    ],
)
def test_a_text_is_changed_in_its_place(text: str, scale: str, num: str, expected: str) -> None:
    changed = resized(parse_experiment(text, Path("fill.toml")), scale=scale, num=num)
    assert changed.text == expected
    again = parse_experiment(changed.text, Path("fill.toml"))
    assert (again.scale, again.workload().num) == (changed.scale, changed.workload().num)
    assert changed.name == "-".join(
        ["fill", *[f"scale-{scale.replace('/', '-')}"] * bool(scale), *[f"num-{num}"] * bool(num)]
    )


def test_an_engine_of_one_size_takes_no_scale() -> None:
    with pytest.raises(UsageError, match='with scale = "1/4": scale is 1/4, but the sizes of LevelDB'):
        resized(parse_experiment(LEVELDB, Path("x.toml")), scale="1/4")
