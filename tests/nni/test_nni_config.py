"""Both forms of NNI's configuration, and what is said of what lsmtune does otherwise."""

from pathlib import Path

import pytest
from nni_builders import FIRST_FORM, SECOND_FORM, experiment

from lsmtune.errors import ExperimentError
from lsmtune.nni import TUNERS, counterpart, load_config
from lsmtune.samplers import SAMPLERS

ASSESSOR = (
    "assessor Medianstop: intermediate results stop no run here; one that takes 3 times the reference's time is stopped"
)


@pytest.mark.parametrize(("text", "form", "tuner"), [(FIRST_FORM, 1, "SMAC"), (SECOND_FORM, 2, "TPE")])
def test_both_forms_say_the_same(tmp_path: Path, text: str, form: int, tuner: str) -> None:
    config = load_config(experiment(tmp_path, text))
    assert (config.form, config.tuner, config.name) == (form, tuner, f"auto_rocksdb_{tuner}")
    assert (config.command, config.code_folder) == ("python3 main.py", tmp_path.resolve())
    assert (config.trials, config.time_s, config.trial_s, config.maximizes) == (256, 43200.0, None, True)
    assert [parameter.name for parameter in config.parameters] == [
        "write_buffer_size",
        "min_write_buffer_number_to_merge",
        "level0_file_num_compaction_trigger",
    ]


def test_the_second_form_takes_keys_in_any_case_and_a_search_space_of_its_own(tmp_path: Path) -> None:
    text = (
        "search_space: {x: {_type: uniform, _value: [1e-4, 1]}}\ntrial_command: ./run.sh\n"
        "tuner: {name: evolution, class_args: {optimize_mode: minimize}}\nmax_trial_number: 30\n"
    )
    config = load_config(experiment(tmp_path, text))
    assert (config.command, config.trials, config.maximizes, config.tuner) == ("./run.sh", 30, False, "evolution")
    assert config.counterpart.sampler == "ga"
    grid = config.parameters[0].grid
    assert grid is not None
    assert grid.low == 0.0001  # YAML reads 1e-4 as text


@pytest.mark.parametrize(("text", "seconds"), [("12h", 43200.0), ("0.5h", 1800.0), ("90m", 5400.0), ("2d", 172800.0)])
def test_times_are_read_as_nni_writes_them(tmp_path: Path, text: str, seconds: float) -> None:
    assert load_config(experiment(tmp_path, SECOND_FORM.replace("12h", text))).time_s == seconds
    assert load_config(experiment(tmp_path, SECOND_FORM.replace("12h", "600"))).time_s == 600.0


def test_every_tuner_is_mapped_to_a_sampler_that_is_there() -> None:
    assert {each.sampler for each in TUNERS.values()} <= SAMPLERS.keys()
    named = {"TPE", "SMAC", "Random", "Anneal", "Evolution", "GridSearch", "GPTuner", "MetisTuner", "Hyperband", "BOHB"}
    assert {name.lower().removesuffix("tuner") for name in named} <= TUNERS.keys()
    same = {name: counterpart(name).sampler for name in named if counterpart(name).exact}
    assert same == {
        "TPE": "tpe",
        "Random": "random",
        "Evolution": "ga",
        "SMAC": "smac",
        "Anneal": "anneal",
        "GPTuner": "gp",
        "GridSearch": "grid",
    }


def test_what_has_no_counterpart_is_named(tmp_path: Path) -> None:
    text = FIRST_FORM.replace("local", "remote").replace("trialConcurrency: 1", "trialConcurrency: 4")
    text = text.replace("gpuNum: 0", "gpuNum: 2").replace("SMAC", "MetisTuner")
    text = text.replace("maximize", "maximize\n    cold: 3")
    text += "assessor:\n  builtinAssessorName: Medianstop\nmachineList: []\n"
    assert load_config(experiment(tmp_path, text)).notes == (
        "MetisTuner has no counterpart here yet; gp searches in its place",
        "tuner.classArgs: cold of MetisTuner mean nothing here; ignored",
        "platform remote: lsmtune runs everything on this machine",
        "2 GPUs for a trial: lsmtune hands out none; the command sees what the machine has",
        "trialConcurrency 4: runs go one at a time, or they would disturb one another",
        ASSESSOR,
        "machinelist: lsmtune does not know this key; it is ignored",
    )


@pytest.mark.parametrize(
    ("tuner", "maximizes"), [("TPE", False), ("Anneal", False), ("SMAC", True), ("Evolution", True)]
)
def test_without_an_optimize_mode_the_tuner_s_own_one_holds_and_is_named(
    tmp_path: Path, tuner: str, maximizes: bool
) -> None:
    text = SECOND_FORM.replace("  classArgs: {optimize_mode: maximize}\n", "").replace("TPE", tuner)
    config = load_config(experiment(tmp_path, text))
    assert config.maximizes is maximizes
    assert any("optimize_mode is not given" in note for note in config.notes)


def test_a_tuner_of_one_s_own_is_named_and_replaced(tmp_path: Path) -> None:
    own = "tuner:\n  codeDir: .\n  classFileName: t.py\n  className: Mine\n  classArgs:\n    optimize_mode: minimize\n"
    text = FIRST_FORM.partition("tuner:")[0] + own + "trial:\n" + FIRST_FORM.partition("trial:\n")[2]
    config = load_config(experiment(tmp_path, text))
    assert (config.counterpart.sampler, config.maximizes) == ("tpe", False)
    assert config.notes == ("Mine is no tuner that lsmtune knows; tpe searches in its place",)


def test_an_advisor_stands_for_a_tuner(tmp_path: Path) -> None:
    text = FIRST_FORM.replace("tuner:", "advisor:").replace("builtinTunerName: SMAC", "builtinAdvisorName: BOHB")
    assert load_config(experiment(tmp_path, text)).tuner == "BOHB"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("a: [1\n", r"config\.yml:2: this is neither YAML nor JSON"),
        (f"{SECOND_FORM}description: 2023-11-31\n", "this is neither YAML nor JSON"),
        ("just words", "no configuration of NNI"),
        (FIRST_FORM + "maxTrialNumber: 3\n", "maxTrialNumber to the second"),
        (SECOND_FORM.replace("trialCommand: python3 main.py\n", ""), "trialCommand says no command"),
        (FIRST_FORM.replace("  command: python3 main.py\n", ""), r"trial\.command says no command"),
        (SECOND_FORM.replace("search_space.json", "nowhere.json"), "nowhere.json: a search space cannot be read"),
        (SECOND_FORM.replace("searchSpaceFile: search_space.json\n", ""), "searchSpaceFile is missing"),
        (SECOND_FORM.replace("useAnnotation: false", "useAnnotation: true"), "comments in the code"),
        (SECOND_FORM.replace("256", "many"), 'maxTrialNumber is "many"'),
        (SECOND_FORM.replace("12h", "soon"), 'maxExperimentDuration is "soon"'),
        (SECOND_FORM.replace("maximize", "optimise"), 'optimize_mode is "optimise"'),
        (SECOND_FORM.replace("  name: TPE\n", ""), r"tuner\.name is missing"),
        (SECOND_FORM.replace("trialCodeDirectory: .", "trialCodeDirectory: gone"), "gone does not exist"),
        (FIRST_FORM.replace("tuner:", "tuner: 3\nx:"), "tuner is no table"),
        (
            SECOND_FORM.replace("search_space.json", "~nosuchuser/space.json"),
            r'config\.yml: searchSpaceFile: "~nosuchuser/space\.json" names no known user\'s home',
        ),
        (
            SECOND_FORM.replace("trialCodeDirectory: .", "trialCodeDirectory: ~nosuchuser/code"),
            r'config\.yml: the folder of the trial\'s code: "~nosuchuser/code" names no known user\'s home',
        ),
    ],
)
def test_a_configuration_that_cannot_be_meant_is_refused(tmp_path: Path, text: str, part: str) -> None:
    with pytest.raises(ExperimentError, match=part):
        load_config(experiment(tmp_path, text))


def test_a_configuration_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match=r"gone\.yml: a configuration of NNI cannot be read: No such file"):
        load_config(tmp_path / "gone.yml")
