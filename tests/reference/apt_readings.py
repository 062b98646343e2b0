"""How far four readings of "Automatic Parameter Tying" lie from its table 1: the tables of docs/papers/apt.md.

    python tests/reference/apt_readings.py [RESULTS]

RESULTS is the folder with table1 and readings, by default results/apt. A distance is the absolute difference of a
printed cell and ours, in nats; a reading is alone nearest where it is nearer than every other by more than .005.
"""

import csv
import sys
from collections import Counter
from pathlib import Path

from numpy import mean, median

MARGIN = 0.005
READINGS = ["table", "beyond", "free", "both"]


def values(path, name="value"):
    with open(path, newline="") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {(row["row"], row["column"]): float(row[name]) for row in rows if row[name]}


results = Path(sys.argv[1] if len(sys.argv) > 1 else "results/apt")
printed = values("experiments/apt/published/table1.csv")
ours = {"table": values(results / "table1/tables/table1.csv")}
for reading in READINGS[1:]:
    cells = values(results / f"readings/tables/{reading}.csv")
    ours[reading] = {(row, column.rsplit("-", 1)[0]): value for (row, column), value in cells.items()}


def distance(reading, cell):
    return abs(ours[reading][cell] - printed[cell])


def nearest(cell):
    by_distance = sorted(READINGS, key=lambda reading: distance(reading, cell))
    first, second = (distance(reading, cell) for reading in by_distance[:2])
    return by_distance[0] if second - first > MARGIN else "ties"


def show(label, cells):
    print(f"{label}, {len(cells)} cells; alone nearest: {dict(Counter(map(nearest, cells)))}")
    for reading in READINGS:
        far = [distance(reading, cell) for cell in cells]
        relative = [100 * distance(reading, cell) / printed[cell] for cell in cells]
        within = sum(one <= MARGIN + 1e-9 for one in far)
        above = sum(ours[reading][cell] > printed[cell] + MARGIN for cell in cells)
        print(
            f"  {reading:7} mean {mean(far):.2f}, median {median(far):.2f}, relative {median(relative):.1f}%, "
            f"within print {within}, above print {above}"
        )


show("all", list(printed))
for method in ["L2", "LTR", "APT"]:
    show(method, [cell for cell in printed if cell[1].startswith(f"{method}-")])
for degree in ["5", "15", "50"]:
    show(f"d = {degree}", [cell for cell in printed if cell[1].endswith(f"-{degree}")])

print("least mean distance by data set, with those within .005 of it")
for row in dict.fromkeys(row for row, _ in printed):
    cells = [cell for cell in printed if cell[0] == row]
    means = {reading: mean([distance(reading, cell) for cell in cells]) for reading in READINGS}
    least = min(means.values())
    print(f"  {row}: {', '.join(reading for reading in READINGS if means[reading] - least <= MARGIN)}")

below = [cell for cell in printed if all(ours[one][cell] < printed[cell] - MARGIN for one in READINGS)]
above = [cell for cell in printed if all(ours[one][cell] > printed[cell] + MARGIN for one in READINGS)]
among = [cell for cell in printed if cell not in below and cell not in above]
closest = Counter(min(READINGS, key=lambda reading: distance(reading, cell)) for cell in among)


def spread(cell):
    found = [ours[reading][cell] for reading in READINGS]
    return max(found) - min(found)


gap = median([printed[cell] - max(ours[one][cell] for one in READINGS) for cell in below])
among_each_other = median([spread(cell) for cell in below])
print(f"print above all {len(below)}, by {gap:.2f} where they differ by {among_each_other:.2f}; below all {len(above)}")
print(f"print among them {len(among)}, nearest {dict(closest)}")
