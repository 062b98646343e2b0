"""Writes patients.csv: 24 clinics of unequal size, each with a shift of its own, and some values missing."""

import csv
import random

random.seed(7)
with open("patients.csv", "w", newline="", encoding="utf-8") as file:
    table = csv.writer(file)
    table.writerow(["clinic", "age", "pressure", "marker", "sex", "outcome"])
    for clinic in range(24):
        shift = random.gauss(0, 0.6)
        for _ in range(random.randint(6, 20)):
            age, pressure, marker = random.gauss(60, 9), random.gauss(130, 15), random.gauss(0, 1)
            score = 0.05 * (age - 60) + 0.03 * (pressure - 130) + 0.8 * marker + shift + random.gauss(0, 1)
            known = "" if random.random() < 0.05 else round(pressure)
            outcome = "ill" if score > 0 else "well"
            table.writerow([f"clinic-{clinic:02}", round(age, 1), known, round(marker, 3), random.choice("fm"), outcome])
