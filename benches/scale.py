#!/usr/bin/env python3
"""Seconds and peak memory of each stage of an experiment of very many cheap trials.

    benches/scale.py REPRISE [TRIALS...]       such as: benches/scale.py target/release/reprise 10000 100000 1000000

The experiment is made and executed in a folder that goes away. Two workers execute a half each in trees of their own;
the trees are merged; a run reads, reports and seals; then come what has nothing to do, status, an explanation, a report
made anew, and an audit of the bytes.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time

SPEC = """schema = 1
[experiment]
id = "scale"
title = "{trials} trials"
seed = 1
[task]
kind = "density"
datasets = ["small"]
split = "published"
repeats = {repeats}
metrics = ["test_ll"]
[[method]]
id = "independent"
kind = "independent"
sweep = {{ smoothing = [{values}] }}
[[table]]
id = "t"
rows = "sweep:smoothing"
columns = "method"
metric = "test_ll"
digits = 3
"""

DATA = """schema = 1
[dataset.small]
title = "Small"
kind = "binary"
citation = "generated"
licence = "MIT"
generator = { kind = "tree", seed = 1, variables = 5, train = 20, valid = 10, test = 10 }
"""


def measured(command, folder):
    """Runs a command; its seconds, those of all cores together, and its peak memory in MiB."""
    before = time.time()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = process.stdout.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)} ended with {status}:\n{text}")
    return time.time() - before, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def size(folder):
    files = (os.path.join(at, file) for at, _, files in os.walk(folder) for file in files)
    return sum(os.path.getsize(file) for file in files) / 2**20


def main():
    reprise = os.path.abspath(sys.argv[1])
    print("| trials | stage | seconds | of all cores | peak MiB |\n|---:|---|---:|---:|---:|")
    for trials in map(int, sys.argv[2:] or ["10000"]):
        with tempfile.TemporaryDirectory() as folder:
            values = min(1000, trials // 10)
            listed = ", ".join(str((n + 1) / 100) for n in range(values))
            spec = SPEC.format(trials=trials, repeats=trials // values, values=listed)
            for name, text in [("scale.toml", spec), ("datasets.toml", DATA)]:
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            own = [f"--cache={folder}/cache", f"--max-trials={trials}"]
            run = lambda word, *more: [reprise, word, "scale.toml", *own, *more]
            stages = [
                ("plan", run("plan", "--results=all")),
                ("worker 1 of 2", run("worker", "--index=1/2", "--results=one", "--host=a")),
                ("worker 2 of 2", run("worker", "--index=2/2", "--results=two", "--host=b")),
                ("merge", [reprise, "merge", "one", "two", "--into", "all"]),
                ("status", [reprise, "status", "--results=all"]),
                ("run: read, report, seal", run("run", "--results=all", "--quiet")),
                ("run: nothing to do", run("run", "--results=all", "--quiet")),
                ("plan: nothing to do", run("plan", "--results=all")),
                ("status, sealed", [reprise, "status", "--results=all"]),
                ("explain", [reprise, "explain", "all/scale", f"--max-trials={trials}"]),
                ("report anew", run("report", "--results=all", "--quiet")),
                ("audit of the bytes", [reprise, "audit", "all"]),
            ]
            for stage, command in stages:
                seconds, cores, memory = measured(command, folder)
                print(f"| {trials} | {stage} | {seconds:.1f} | {cores:.1f} | {memory:.0f} |", flush=True)
                if stage == "merge":
                    print(f"| {trials} | journals, MiB on disk | {size(folder + '/all'):.0f} | | |", flush=True)
            print(f"| {trials} | sealed, MiB on disk | {size(folder + '/all'):.0f} | | |", flush=True)
            page = os.path.getsize(folder + "/all/scale/report.html") / 2**20
            print(f"| {trials} | of this the page | {page:.1f} | | |", flush=True)


if __name__ == "__main__":
    main()
