"""Runs reprise's benchmarks and the peers' side of them one after the other and prints the ratios.

    REPRISE_MIRROR=... python benches/peers/compare.py [--smoke] [path of cargo]

`--smoke` compares the smallest sizes alone, once each: it shows that both sides still work, not how fast they are.
Both sides use one thread, the same training sets, the same initial assignments and the same number
of iterations; the average log-likelihoods after the tenth iteration must agree. Classifiers need no
mirror: reprise's wall-clock time stands against scikit-learn's cpu time, and for neighbours cpu time
against cpu time; these must vote alike on every query without a tie at the boundary.
"""

import argparse
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MILLISECONDS = {"ns": 1e-6, "µs": 1e-3, "ms": 1.0, "s": 1e3}


PARSER = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
PARSER.add_argument("--smoke", action="store_true", help="the smallest sizes alone, once each")
PARSER.add_argument("cargo", nargs="?", default="cargo", help="path of cargo")
ASKED = PARSER.parse_args()


def bench(*arguments):
    command = [ASKED.cargo, "bench", "--quiet", "--bench", "methods", "--", *arguments]
    environment = {**os.environ, **({"REPRISE_BENCH_SMALLEST": "1"} if ASKED.smoke else {})}
    done = subprocess.run(
        command, cwd=os.path.join(HERE, "../.."), env=environment, capture_output=True, text=True
    )
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


def medians(text):
    """{(benchmark, set): median milliseconds} from divan's tree."""
    values, benchmark = {}, None
    for line in text.splitlines():
        name = re.match(r"[│├╰─ ]*(\w+)", line)
        columns = [column.strip() for column in line.split("│")]
        if not name:
            continue
        if re.match(r"[├╰]─ ", line):
            benchmark = name[1]
            continue
        times = [re.match(r"([\d.]+) (ns|µs|ms|s)\b", column) for column in columns]
        times = [time for time in times if time]
        if benchmark and len(times) >= 2:
            # fastest │ slowest │ median │ mean: the fastest stands behind the name.
            values[benchmark, name[1]] = float(times[1][1]) * MILLISECONDS[times[1][2]]
    return values


def peers(script, sets):
    command = [sys.executable, os.path.join(HERE, script), *sets]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    print(lines[0])
    return {line.split()[0]: [float(value) for value in line.split()[1:]] for line in lines[1:]}


def main():
    sets = ["plants"] if ASKED.smoke else ["plants", "jester", "bbc", "c20ng"]
    ours = medians(bench(*(["--sample-count", "1"] if ASKED.smoke else [])))
    numpy_nb = peers("latent_nb.py", sets)
    numpy_cl = peers("chow_liu.py", sets)
    likelihoods = dict(line.split() for line in bench("--likelihoods").splitlines() if line)
    print("\nmilliseconds of one EM iteration (k = 20)")
    print(f"{'':8}{'NB sparse':>12}{'NumPy':>12}{'ratio':>8}{'distinct':>12}{'ratio':>8}"
          f"{'NB dense':>12}{'MEVM':>12}{'dense/MEVM':>12}{'sparse/MEVM':>12}{'NumPy/MEVM':>12}")
    for name in sets:
        sparse, dense, mevm = (
            ours[f, name] / 10 for f in ("latent_nb_sparse", "latent_nb_dense", "mevm")
        )
        whole, distinct, likelihood = numpy_nb[name]
        print(f"{name:8}{sparse:12.3f}{whole:12.3f}{sparse / whole:8.2f}{distinct:12.3f}"
              f"{sparse / distinct:8.2f}{dense:12.3f}{mevm:12.3f}{dense / mevm:12.2f}"
              f"{sparse / mevm:12.2f}{whole / mevm:12.2f}")
        if name in likelihoods and abs(float(likelihoods[name]) - likelihood) > 1e-6:
            sys.exit(f"{name}: {likelihoods[name]} against NumPy's {likelihood}")
    print("\nmilliseconds of one Chow-Liu fit")
    print(f"{'':8}{'reprise':>12}{'NumPy':>12}{'ratio':>8}")
    for name in sets:
        own, numpy = ours["chow_liu", name], numpy_cl[name][0]
        print(f"{name:8}{own:12.3f}{numpy:12.3f}{own / numpy:8.2f}")
    against_scikit_learn(ours, "decision_tree", "decision tree")
    against_scikit_learn(ours, "linear_svm", "linear SVM, ten epochs")
    neighbours()


def against_scikit_learn(ours, benchmark, title):
    sizes = ["2000"] if ASKED.smoke else ["2000", "20000"]
    theirs = peers(f"{benchmark}.py", sizes)
    print(f"\nmilliseconds of one fit to N x 1,000 bits: {title}")
    print(f"{'N':8}{'reprise':>12}{'scikit-learn':>14}{'ratio':>8}")
    for size in sizes:
        own, other = ours[benchmark, size], theirs[size][0]
        print(f"{size:8}{own:12.3f}{other:14.3f}{own / other:8.3f}")


def neighbours():
    other, *votes = peers("knn.py", [])["knn"]
    own, *own_votes = [float(value) for value in bench("--neighbours").split()]
    if own_votes != votes:
        sys.exit(f"neighbours vote {own_votes} against scikit-learn's {votes}")
    print("\nmilliseconds of cpu of 2,000 queries among 20,000 x 1,000 bits: 5 nearest neighbours")
    print(f"{'reprise':>20}{'scikit-learn':>14}{'ratio':>8}")
    print(f"{own:20.3f}{other:14.3f}{own / other:8.3f}")


if __name__ == "__main__":
    main()
