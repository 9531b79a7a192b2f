"""How long `lsmtune --help` takes, against its goal, beside a Python that does nothing.

    python benchmarks/startup.py [repeats]

Goal: 0.3 s. Prints the median times in s, their ratio, and the ratio to the goal; exit code 1 where it is missed.
"""

import subprocess
import sys
import time
from statistics import median

GOAL_S = 0.3
_COMMANDS = {"lsmtune --help": ("-m", "lsmtune", "--help"), "python -c pass": ("-c", "pass")}


def seconds(arguments: tuple[str, ...]) -> float:
    """Wall time of one Python process."""
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def main(repeats: int) -> int:
    """Measure both in turn and print."""
    times: dict[str, list[float]] = {name: [] for name in _COMMANDS}
    for _ in range(repeats):
        for name, arguments in _COMMANDS.items():
            times[name].append(seconds(arguments))
    medians = {name: median(values) for name, values in times.items()}
    for name, value in medians.items():
        sys.stdout.write(f"{name:<16} {value:.3f} s, median of {repeats}\n")
    ours, bare = medians.values()
    sys.stdout.write(f"ratio            {ours / bare:.1f}\nof the goal      {ours / GOAL_S:.2f} of {GOAL_S} s\n")
    return 0 if ours <= GOAL_S else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 11))
