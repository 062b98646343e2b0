"""Whether MLCommons' own package reads the descriptions that reprise writes.

    reprise data croissant titanic --to titanic.json
    python tests/reference/croissant.py titanic.json

validates each description, and prints how many records its record sets have, and the first one. The files that a
description names by url are fetched. mlcroissant 1.1.1.
"""

import sys

import mlcroissant

for name in sys.argv[1:]:
    dataset = mlcroissant.Dataset(jsonld=name)
    print(f"{name}: {dataset.metadata.name}, {len(dataset.metadata.distribution)} files")
    for records in dataset.metadata.record_sets:
        found = list(dataset.records(record_set=records.uuid))
        print(f"  {records.uuid}: {len(found)} records, the first {found[0]}")
