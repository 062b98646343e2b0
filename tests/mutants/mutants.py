#!/usr/bin/env python3
"""Turns one condition of a room round at a time, runs the room's tests, and says which faults they do not notice.

    tests/mutants/mutants.py seal --list
    tests/mutants/mutants.py seal --numbers 3 17
    tests/mutants/mutants.py run --sample 20 --seed 1 --it stored --it workers

Conditions are numbered in the order of files and lines. Sources are changed in place and put back: nobody else may build
meanwhile. Where the room's own tests pass, those of `tests/it` that `--it` names follow.
"""

import argparse
import pathlib
import random
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONDITION = re.compile(r"^(.*\bif )(?!let\b)([^{}]*?[^{}\s])( => .*| \{)$")


def conditions(room):
    """Where the product of a room decides: file, line, and the line with the decision turned round."""
    for path in sorted((ROOT / "src" / room).rglob("*.rs")):
        if path.name.endswith("tests.rs") or "tests" in path.parts:
            continue
        for number, line in enumerate(path.read_text().splitlines()):
            if line.strip().startswith("#[cfg(test)]"):
                break
            found = CONDITION.match(line)
            if found and not line.strip().startswith("//") and "let " not in found[2]:
                yield path, number, f"{found[1]}!({found[2]}){found[3]}"


def ends(command):
    """How tests end: the first that fails, `not compiled`, or nothing."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1800)
    if done.returncode == 0:
        return None
    failed = re.search(r"^---- (\S+) (?:stdout )?----", done.stdout, re.M)
    return failed[1] if failed else "not compiled" if "could not compile" in done.stderr else "a failure"


def tried(room, it, path, number, line):
    before = path.read_text()
    lines = before.splitlines(keepends=True)
    lines[number] = line + "\n"
    try:
        path.write_text("".join(lines))
        # The one test that compares the binary with its sources would notice everything.
        found = ends(["cargo", "test", "-q", "-p", f"reprise-{room}", "--", "--skip", "built_from_this"])
        for name in it if found is None else []:
            found = found or ends(["cargo", "test", "-p", "reprise", "--test", "it", "--", name])
        return found
    finally:
        path.write_text(before)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("room")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--numbers", type=int, nargs="*")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--it", action="append", default=[])
    options = parser.parse_args()
    known = dict(enumerate(conditions(options.room)))
    drawn = random.Random(options.seed).sample(sorted(known), min(options.sample, len(known)))
    for at in known if options.list else options.numbers or sorted(drawn):
        path, number, line = known[at]
        said = "" if options.list else tried(options.room, options.it, path, number, line) or "SURVIVED"
        print(at, f"{path.relative_to(ROOT)}:{number + 1}", line.strip(), said, sep=" | ", flush=True)


if __name__ == "__main__":
    main()
