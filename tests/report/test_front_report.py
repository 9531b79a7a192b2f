"""A front in words, on cards, as JSON, in exports and in the report's picture."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from report_builders import on_page

from lsmtune.exporters._wording import verdict
from lsmtune.indicators import Objective
from lsmtune.report import State, next_step, state_of, tune_card, tune_json, verdict_sentence
from lsmtune.report._front_words import standing
from lsmtune.report._host_words import host_sentences
from lsmtune.report.html import ReportView, html_report, lite_report
from lsmtune.report.html._columns import Column, RunColumns
from lsmtune.report.html._run_charts import tradeoff_chart
from lsmtune.result import Comparison, Front, History, OnHosts, Repetition, Troubles, TuneResult, summarise
from lsmtune.stats import Decision, GuardResult, GuardVerdict, HostGain, stability
from lsmtune.study import Budget
from lsmtune.testing import FakePlan, Noise, Surface, fake_rules, fake_study

RULES = replace(
    fake_rules(),
    objective=Objective({"throughput_settled_ops_s": 1.0, "memory_peak_bytes": 0.3}),
    guards=(),
    finalists=4,
    pareto=True,
)
PLAN = FakePlan(Budget(None, 250), Surface(0.8), Noise(rate=0.03), seed=4, rules=RULES)


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> ReportView:
    with fake_study(tmp_path_factory.mktemp("front") / "study", PLAN) as study:
        result = study.tune()
        return ReportView(result, History.read(study.study, RULES), ())


@pytest.fixture(scope="module")
def result(view: ReportView) -> TuneResult:
    return view.result


@pytest.fixture(scope="module")
def front(result: TuneResult) -> Front:
    assert result.front is not None
    assert len(result.front.members) > 1
    return result.front


def test_the_sentence_names_the_members_and_gives_the_chosen_one_in_each_indicator(
    result: TuneResult, front: Front
) -> None:
    sentence = verdict_sentence(result)
    assert sentence.startswith("A front: finalist-")
    assert 'of 4 finalists are each shown better than "stock" in settled throughput or peak memory' in sentence
    assert f"the weights choose {front.chosen}, with " in sentence
    assert "x the settled throughput [" not in sentence
    assert " [95 %, adjusted, n = " in sentence
    assert "--finalist N" in next_step(result)


def test_what_the_choice_gives_up_is_said_against_each_other_member(result: TuneResult, front: Front) -> None:
    page = on_page(tune_card(result), 200)
    for pairing in front.choice():
        assert f"{pairing.arm} has " in page
        assert f"the settled throughput of {pairing.against} (" in page
    pairing = front.choice()[0]
    memory = pairing.indicators["memory_peak_bytes"]
    word = "not told apart" if memory.low <= 1 <= memory.high else "better" if memory.ratio < 1 else "worse"
    assert f"its peak memory ({word}); n = " in page


@pytest.mark.parametrize("width", [80, 120])
def test_the_card_of_a_front_fits_the_terminal(result: TuneResult, width: int) -> None:
    assert max(len(line) for line in on_page(tune_card(result), width).splitlines()) <= width


def test_the_table_says_what_each_finalist_is(result: TuneResult, front: Front) -> None:
    page = on_page(tune_card(result), 100)
    assert page.count("no claim") >= len(result.verified)
    assert "on the front, chosen" in page
    assert page.count("weighted gain") >= len(result.verified)


def test_json_holds_the_front_and_the_verdict_on_each_indicator(result: TuneResult, front: Front) -> None:
    data = tune_json(result)
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["front"]["members"] == list(front.members)
    assert data["front"]["chosen"] == front.chosen
    assert {pairing["relation"] for pairing in data["front"]["pairings"]} <= {
        "dominates",
        "dominated",
        "trade",
        "not told apart",
    }
    assert data["rules"]["pareto"] is True
    assert set(data["verified"][0]["parts"]) == set(RULES.objective.weights)
    assert data["verified"][0]["claim"]["p"] is None


def test_an_export_of_a_member_says_what_was_shown_and_what_else_there_is(result: TuneResult, front: Front) -> None:
    lines = " ".join(verdict(replace(result, repetition=None)))
    assert f"Verdict on {front.chosen} against the reference stock, value over value: throughput_settled_ops_s" in lines
    assert "which chooses and is no claim" in lines
    assert f"Other members of the front: {', '.join(front.members[1:])};" in lines


def test_an_export_of_the_smaller_choice_gives_each_indicator(result: TuneResult, front: Front) -> None:
    smaller = replace(result.verified[0], arm="pruned", parts={})
    lines = " ".join(verdict(replace(result, repetition=Repetition(None, smaller, None, 1.03))))
    assert f"This is {front.chosen} of a front without what had no effect" in lines
    memory = smaller.indicators["memory_peak_bytes"].ratio
    assert f"memory_peak_bytes {memory:.2f}x [" in lines
    assert "Other members of the front: " in lines


def test_verified_finalists_are_crosses_in_the_picture_of_two_indicators(view: ReportView) -> None:
    page = html_report(view)
    start = page.index('<script type="application/json" id="data">') + len('<script type="application/json" id="data">')
    data = json.loads(page[start : page.index("</script>", start)])
    (trace,) = [each for each in data["figures"]["tradeoff"]["data"] if each["name"] == "verified"]
    assert len(trace["x"]) == len(view.result.verified)
    assert len(trace["error_x"]["array"]) == len(trace["error_y"]["array"]) == len(trace["x"])
    reference = view.result.noise["throughput_settled_ops_s"].mean
    first = view.result.verified[0].indicators["throughput_settled_ops_s"]
    told = data["table"]["verified"][0]["at"]["throughput_settled_ops_s"]
    assert told == pytest.approx([reference * first.ratio, reference * first.low, reference * first.high])
    assert "Crosses: verified finalists" in page
    assert "What the choice gives up" in page
    assert "Crosses: verified finalists" in lite_report(view)


def test_the_page_finds_the_indicators_of_its_picture_where_a_run_that_does_not_count_is_far_off(
    view: ReportView,
) -> None:
    columns = (
        Column("throughput_settled_ops_s", "settled throughput", "ops/s", "indicator", (2e5, 1e5), better="higher"),
        Column("memory_peak_bytes", "peak memory", "B", "indicator", (5e8, 2e9), better="lower"),
    )
    table = RunColumns(columns, ((1, "trial-1", "ok"), (2, "trial-2", "disturbed")), (True, False), ())
    chart = tradeoff_chart(view, table)
    assert chart is not None
    assert {chart.x.title, chart.y.title} == {column["axis"] for column in table.to_json()["columns"]}


def without_members(result: TuneResult, only: Comparison) -> TuneResult:
    """The same study with one finalist, which was not accepted."""
    decisions = replace(result.decisions, winner=only.arm)
    return replace(result, verified=(only,), decisions=decisions, front=Front((), {}, ()), repetition=None)


def test_an_open_guard_is_what_is_said_of_a_front_without_members(result: TuneResult, front: Front) -> None:
    (best,) = [each for each in result.verified if each.arm == front.chosen]
    unsure = GuardResult(GuardVerdict.INCONCLUSIVE, 1.1, 0.9, 1.4, 1.3, 6)
    found = without_members(result, replace(best, guards={"space_bytes": unsure}))
    assert state_of(found) is State.GUARD_UNDECIDED
    sentence = verdict_sentence(found)
    assert sentence.startswith("Guard undecided: the runs cannot tell whether the guard on space on disk holds. No ")
    assert f"none of 1 finalist was accepted in the verification; {best.arm} is shown better than" in sentence
    assert "--guard-undecided" in next_step(found)
    assert "a guard or limit is open" in on_page(tune_card(found), 120)


def test_what_keeps_a_finalist_off_the_front_is_what_is_said_of_it(result: TuneResult, front: Front) -> None:
    (best,) = [each for each in result.verified if each.arm == front.chosen]
    shaky = stability([0.0, 0.3, -0.3, 0.2, -0.25, 0.1], [0.0, 0.01, -0.01, 0.02, 0.0, -0.02])
    unstable = without_members(result, replace(best, stability=shaky))
    assert state_of(unstable) is State.UNSTABLE
    assert verdict_sentence(unstable).startswith("Unstable: its worst run is ")
    assert "--unstable" in next_step(unstable)
    assert standing(Front((), {}, ()), unstable.verified[0]) == "unstable"
    failed = replace(best, troubles=Troubles(failures=("it crashed",)))
    assert standing(Front((), {}, ()), failed) == "runs failed"
    broken = GuardResult(GuardVerdict.BROKEN, 1.5, 1.4, 1.6, 1.3, 6)
    assert standing(Front((), {}, ()), replace(best, guards={"space_bytes": broken})).endswith("does not hold")


def test_without_a_member_the_sentence_says_so(tmp_path: Path) -> None:
    with fake_study(tmp_path, replace(PLAN, surface=Surface(), seed=2)) as study:
        study.tune()
        flat = summarise(study.study)
    sentence = verdict_sentence(flat)
    assert sentence.startswith("No front: none of ")
    assert "in settled throughput or peak memory with guards and limits held" in sentence
    assert "The best candidate: " in " ".join(verdict(flat))


def test_hosts_that_contradict_each_other_are_named_with_the_indicator_in_which_they_do(
    result: TuneResult, front: Front
) -> None:
    (best,) = [each for each in result.verified if each.arm == front.chosen]
    rate, memory = RULES.objective.weights
    agreeing = OnHosts({"lab-1": HostGain(15, 1.3, opposite=False), "lab-2": HostGain(5, 1.2, opposite=False)}, None)
    differing = OnHosts({"lab-1": HostGain(15, 1.3, opposite=False), "lab-2": HostGain(5, 0.95, opposite=True)}, None)
    open_part = replace(best.parts[rate], decision=Decision.INCONCLUSIVE, low=1.1, high=1.3)
    apart = replace(
        best,
        claim=replace(best.claim, decision=Decision.INCONCLUSIVE, settled=True, looks=3),
        parts={rate: open_part, memory: replace(best.parts[memory], decision=Decision.NO_DIFFERENCE)},
        hosts=agreeing,
        parts_on_hosts={rate: differing, memory: agreeing},
    )
    found = without_members(result, apart)
    assert state_of(found) is State.INCONCLUSIVE
    said = list(host_sentences(apart))
    assert said[0].startswith("Hosts, weighted gain: lab-1 1.30x (15 pairs), lab-2 1.20x (5 pairs). ")
    assert said[1] == (
        "No difference in settled throughput is claimed, as its sign differs between hosts: lab-2 has 0.95x."
    )
    assert "lsmtune doctor --hosts" in next_step(found)
    trade = replace(apart, hosts=differing, parts_on_hosts={rate: agreeing, memory: agreeing})
    assert not any("sign differs" in sentence for sentence in host_sentences(trade))
    assert "lsmtune doctor --hosts" not in next_step(without_members(result, trade))
