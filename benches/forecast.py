#!/usr/bin/env python3
"""How good the time left is that a run shows: what it said when a quarter of the time had gone, beside the truth.

    benches/forecast.py REPRISE EXPERIMENT...   such as: benches/forecast.py target/release/reprise experiments/evm/*.toml

Each experiment is executed anew in a folder that goes away, on all cores. Nothing else may run. Printed for each: the
seconds that it took, the seconds that it expected in all at the end of the first path after a quarter of them, and how
many times one is the other.
"""

import os
import re
import subprocess
import sys
import tempfile

LINE = re.compile(r"progress\] .*: (\S+) gone, (\S+) left")
UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}


def seconds(text):
    number, unit = re.fullmatch(r"([0-9.]+)(s|ms|µs|ns)", text).groups()
    return float(number) * UNITS[unit]


def main(reprise, experiments):
    print("| experiment | seconds | expected at a quarter | factor |\n|---|---|---|---|")
    for experiment in experiments:
        with tempfile.TemporaryDirectory() as folder:
            command = [reprise, "run", experiment, "--results", folder, "--log", "progress=debug,reprise::progress=debug"]
            # Failed trials are as in the sealed results.
            run = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"})
        said = [tuple(map(seconds, found)) for found in LINE.findall(run.stderr)]
        if run.returncode not in (0, 4) or not said:
            sys.exit(f"{experiment}: {run.stderr[-2000:]}")
        took = said[-1][0]
        gone, left = next(pair for pair in said if pair[0] >= took / 4)
        factor = max((gone + left) / took, took / (gone + left))
        name = os.path.splitext(experiment.split("experiments/")[-1])[0]
        print(f"| `{name}` | {took:.1f} | {gone + left:.1f} | {factor:.2f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
