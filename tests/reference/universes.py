"""Counts again in how many universes of a results folder its claims by values of the form `wins` hold.

    python3 tests/reference/universes.py results/ltm/density

Reads `trials.csv`, `universes/trials.csv`, `universes/universes.csv` and the sealed experiment file alone, and compares
with `universes/claims.csv` and `universes/conclusions.csv`. No package is needed.
"""

import csv
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

folder = Path(sys.argv[1])
spec = tomllib.loads((folder / "spec.toml").read_text())
repeats = spec["universes"]["repeats"]
lower = {"test_npll", "rmse", "mae"}


def rows(name):
    path = folder / name
    return list(csv.DictReader(path.open())) if path.exists() else []


trials = [row for name in ("trials.csv", "universes/trials.csv") for row in rows(name)]
trials = [row for row in trials if row["selected"] == "true" and int(row["repeat"]) < repeats]
# The choices that bear on a method on a dataset are those that its trials name.
bearing = defaultdict(set)
for row in trials:
    names = {option.split("=")[0] for option in row["choice"].split(";") if option}
    bearing[row["dataset"], row["method"]] |= names


def mean(dataset, method, metric, options):
    own = [option for option in options if option.split("=")[0] in bearing[dataset, method]]
    of_trial = lambda row: sorted(filter(None, row["choice"].split(";"))) == sorted(own)
    here = lambda row: (row["dataset"], row["method"]) == (dataset, method) and of_trial(row)
    values = {row["key"]: float(row[metric]) for row in trials if here(row) and row[metric]}
    return sum(values.values()) / len(values)


universes = rows("universes/universes.csv")
judged = {(row["claim"], row["universe"]): row["verdict"] for row in rows("universes/claims.csv")}
concluded = {row["claim"]: row for row in rows("universes/conclusions.csv")}
datasets = list(dict.fromkeys(row["dataset"] for row in rows("trials.csv")))
differ = 0
for claim in spec["claim"]:
    check = claim["check"].get("wins")
    if not check or {"significant", "or_tied"} & check.keys() or claim["id"] not in concluded:
        continue
    right = check["right"] if isinstance(check["right"], list) else [check["right"]]
    of = [one for one in check.get("datasets", datasets) if one not in check.get("except", [])]
    sign = -1 if check["metric"] in lower else 1
    held = 0
    for universe in universes:
        options = [option for option in universe["options"].split(";") if option]
        value = lambda dataset, method: sign * mean(dataset, method, check["metric"], options)
        won = [
            all(value(dataset, check["left"]) - value(dataset, other) > check.get("margin", 0) for other in right)
            for dataset in of
        ]
        least = check.get("at_least", "all")
        holds = sum(won) >= (len(of) if least == "all" else least)
        held += holds
        differ += judged[claim["id"], universe["universe"]] != ("holds" if holds else "fails")
    differ += held != int(concluded[claim["id"]]["holds"])
    print(f"{claim['id']}: holds in {held} of {len(universes)} universes")
print(f"{differ} differences")
sys.exit(differ > 0)
