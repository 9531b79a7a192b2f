"""Hosts in the progress view, in cards and in the report."""

import io
from dataclasses import replace

from report_builders import RATE, RULES, stored_run
from rich.console import Console

from lsmtune.model import Purpose, Status
from lsmtune.report import ConsoleView, disturbance_signs, hosts_part
from lsmtune.report.html._host_chart import disturbance_map
from lsmtune.report.html._plotly import plotly_figure
from lsmtune.result import HostRow, HostTable, disturbance_slices
from lsmtune.stats import noise_floor

ROW = HostRow("lab-1", 40, 0, 0, 1e5, noise_floor([1e5, 1.02e5, 0.98e5]), 1.01, (0.01, None, 0.04, 0.5))
HOSTS = HostTable(
    RATE,
    (ROW, replace(ROW, name="lab-2", disturbed=3, lost=1, level=5e4, disturbance=(0.1, 0.2, None, 0.0))),
    0.0,
    240.0,
)


def test_the_progress_view_has_a_line_for_each_host_that_is_at_work() -> None:
    stream, now = io.StringIO(), [0.0]
    page = Console(file=stream, width=100, force_terminal=True, color_system=None, _environ={"TERM": "xterm"})
    with ConsoleView(page, clock=lambda: now[0]) as view:
        view.stage("search", "trials of 3 options")
        view.started("run 8: trial 1", 725.0, "lab-1")
        view.started("run 9: trial 2, on lab-2", 700.0, "lab-2")
        stream.truncate(0)
        now[0] = 12.0
        view.waiting()
        drawn = stream.getvalue()
        view.left("lab-1")
        stream.truncate(0)
        view.started("run 10: trial 3", None, "lab-2")
        after = stream.getvalue()
    assert "lab-1  run 8: trial 1            12 s" in drawn.replace("\x1b[2K", "")
    assert "lab-2  run 9: trial 2, on lab-2  12 s" in drawn
    assert "lab-1" not in after
    assert "run 10: trial 3" in after


def test_of_very_many_hosts_those_that_take_longest_are_shown() -> None:
    stream, now = io.StringIO(), [0.0]
    page = Console(file=stream, width=100, force_terminal=True, color_system=None, _environ={"TERM": "xterm"})
    with ConsoleView(page, clock=lambda: now[0]) as view:
        for number in range(1, 31):
            now[0] = float(number)
            view.started(f"run {number}", None, f"lab-{number}")
        stream.truncate(0)
        now[0] = 40.0
        view.waiting()
        drawn = stream.getvalue()
    assert "lab-1 " in drawn
    assert "lab-13" not in drawn
    assert "and 18 more hosts" in drawn


def test_the_card_of_hosts_says_what_each_did_and_when_it_was_disturbed() -> None:
    console = Console(width=160, file=io.StringIO())
    console.print(hosts_part(HOSTS))
    assert isinstance(console.file, io.StringIO)
    lines = {line.split()[0]: line for line in console.file.getvalue().splitlines() if line.startswith("lab-")}
    assert lines["lab-1"].rstrip().endswith("|. :#|")
    assert lines["lab-2"].rstrip().endswith("|+x .|")
    assert lines["lab-2"].split()[1:4] == ["40", "3", "1"]
    assert "0.50x" in lines["lab-2"]


def test_signs_and_slices_of_disturbance() -> None:
    assert disturbance_signs((None, 0.0, 0.03, 0.1, 0.2, 0.9)) == " .:+x#"
    slices = disturbance_slices([(0.0, 10.0, 0.1), (5.0, 10.0, 0.3)], (0.0, 24.0))
    assert slices[:5] == (0.1,) * 5
    assert slices[5] == 0.2
    assert slices[10:] == (None,) * 14


def test_the_map_of_the_report_has_a_row_for_each_host() -> None:
    chart = disturbance_map(HOSTS)
    assert chart.y.labels == ("lab-1", "lab-2")
    cells = {(x, y): note for each in chart.series for x, y, note in zip(each.x, each.y, each.notes, strict=True)}
    assert cells[3.0, 0.0] == "lab-1: 50.0 % of the cores"
    assert (1.0, 0.0) not in cells
    assert len(cells) == 6
    assert "2 hosts over 4m 00s" in chart.alt


def test_what_no_run_tells_of_disturbance_is_not_called_none() -> None:
    silent = tuple(replace(row, disturbance=(None,) * 4) for row in HOSTS.rows)
    assert "the most in one slice is ? of the cores" in disturbance_map(replace(HOSTS, rows=silent)).alt


def test_the_table_of_the_map_has_the_time_of_every_slice_and_the_axis_some() -> None:
    row = replace(ROW, disturbance=(0.01,) * 24)
    chart = disturbance_map(replace(HOSTS, rows=(row, replace(row, name="lab-2"))))
    assert [cells[1] for cells in chart.table()[1:]][:3] == ["0 s", "10 s", "20 s"]
    shown = plotly_figure(chart)["layout"]["xaxis"]["ticktext"]
    assert [name for name in shown if name] == ["0 s", "40 s", "1m 20s", "2m 00s", "2m 40s", "3m 20s"]


def test_the_list_of_runs_numbers_the_references_of_each_host_from_one() -> None:
    from lsmtune.model import HOST_BLOCKS

    stored = stored_run(1, Purpose.ANCHOR, RULES.reference)
    run = replace(stored.run, block=2 * HOST_BLOCKS + 4, host="lab-3")
    assert run.repeat == 4
    assert stored.status is Status.OK
