#!/usr/bin/env python3
"""Turns one condition of a room round at a time, runs the room's tests, and says which faults they do not notice.

    tests/mutants/mutants.py --list seal
    tests/mutants/mutants.py --copy /tmp/mutants --sample 200 --seed 37 base data spec
    tests/mutants/mutants.py --copy /tmp/mutants --numbers spec:17 data:3 --it bad_input,readers base data spec

Conditions are numbered in the order of a room's files and lines. A copy of the sources is built once, in which each condition is
turned round where the environment names its number; so all rooms of one copy are named each time. What was tried stands in
`tried.tsv` of the copy, and is not tried again. Of what the room's tests do not notice, those of `tests/it` that `--it` names follow.
"""

import argparse
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONDITION = re.compile(r"^(.*\bif )(?!let\b)([^{}]*?[^{}\s])( => .*| \{)$")
FUNCTION = re.compile(r"^\s*(pub(\([^)]*\))? )?(const |unsafe )?fn ")
# The one test that compares the binary with its sources would notice everything; those of time notice other work.
TESTS = ["-q", "--test-threads", "2", "--skip", "built_from_this", "--skip", "in_time"]
# A process of our own gets no environment: the number alone.
CLEARED = "ARGUMENT).env_clear()"
KEPT = '.envs(std::env::var_os("REPRISE_MUTANT").map(|number| ("REPRISE_MUTANT", number)))'
# What is to hold programs may be turned round: so they have processes of their own, whose numbers are no small ones, and files
# that end. Else one fault sets how many processes the machine may have, and another fills its memory. For root.
WALLS = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child", "sh", "-c",
         'echo 20000 > /proc/sys/kernel/ns_last_pid; "$@"; exit $?', "sh", "prlimit", "--as=8000000000", "--fsize=400000000"]
SWITCH = """
/// Whether this condition is to be turned round.
#[doc(hidden)]
pub fn turned(number: u32) -> bool {
    static AT: std::sync::OnceLock<Option<u32>> = std::sync::OnceLock::new();
    let named = || std::env::var("REPRISE_MUTANT").ok()?.strip_prefix("ROOM:")?.parse().ok();
    *AT.get_or_init(named) == Some(number)
}
"""


def conditions(room):
    """Where the product of a room decides: file, line, and the line with a decision that can be turned round."""
    count = 0
    for path in sorted((ROOT / "src" / room).rglob("*.rs")):
        # A method that `init` writes is text here.
        if path.name.endswith("tests.rs") or {"tests", "rust"} & set(path.parts[len(ROOT.parts):]):
            continue
        constant = False
        for number, line in enumerate(path.read_text().splitlines()):
            if line.strip().startswith("#[cfg(test)]"):
                break
            if FUNCTION.match(line):
                constant = "const fn" in line
            found = CONDITION.match(line)
            if found and not constant and not line.strip().startswith("//") and "let " not in found[2]:
                yield path.relative_to(ROOT), number, f"{found[1]}({found[2]}) != crate::turned({count}){found[3]}"
                count += 1


def built(copy, rooms, with_it):
    """The test binaries of a copy by room, and the numbers of conditions that can't be switched."""
    known, unswitched = copy / "built.json", set()
    if known.exists() and (not with_it or "it" in json.loads(known.read_text())[0]):
        return json.loads(known.read_text())
    lines = {}
    for file in subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, text=True).splitlines():
        (copy / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / file, copy / file)
    for room in rooms:
        for count, (path, number, line) in enumerate(conditions(room)):
            lines[str(path), number] = (f"{room}:{count}", line)
        top = copy / "src" / room / ("main.rs" if room == "cli" else "lib.rs")
        top.write_text(top.read_text() + SWITCH.replace("ROOM", room))
    for path in {path for path, _ in lines}:
        text = (ROOT / path).read_text().splitlines()
        switched = [lines[path, at][1] if (path, at) in lines else line for at, line in enumerate(text)]
        switched = [line.replace(CLEARED, CLEARED + KEPT) for line in switched]
        (copy / path).write_text("\n".join(switched) + "\n" + (copy / path).read_text()[len((ROOT / path).read_text()):])
    command = ["cargo", "build", "--release", "--keep-going", "--message-format=json", "--tests"]
    for room in [*rooms, *["cli"] * with_it]:
        command += ["-p", "reprise" if room == "cli" else f"reprise-{room}"]
    while True:
        done = subprocess.run(command, cwd=copy, capture_output=True, text=True)
        messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        wrong = [span for m in messages if m["reason"] == "compiler-message" and m["message"]["level"] == "error"
                 for span in m["message"]["spans"]]
        wrong = {(span["file_name"], span["line_start"] - 1) for span in wrong} & set(lines)
        if done.returncode == 0:
            break
        if not wrong:
            raise SystemExit(done.stderr[-4000:])
        for path, at in wrong:
            text = (copy / path).read_text().splitlines(keepends=True)
            text[at] = (ROOT / path).read_text().splitlines(keepends=True)[at]
            (copy / path).write_text("".join(text))
            unswitched.add(lines.pop((path, at))[0])
    found = {}
    for m in messages:
        if m["reason"] == "compiler-artifact" and m.get("executable") and m["profile"]["test"]:
            folder = pathlib.Path(m["manifest_path"]).parent
            room = "cli" if folder == copy else folder.name
            kind = "it" if m["target"]["name"] == "it" else room
            found.setdefault(kind, []).append([m["executable"], str(folder)])
    known.write_text(json.dumps([found, sorted(unswitched)]))
    return [found, sorted(unswitched)]


def noticed(tests, mutant, names, least):
    """The first test that fails, or nothing. Who takes far too long has noticed too."""
    environment = {**os.environ, "REPRISE_MUTANT": mutant}
    for binary, folder in tests:
        began = time.monotonic()
        try:
            walls = WALLS if pathlib.Path(binary).name.startswith("zoo-") else []
            command = [*walls, binary, *names, *TESTS]
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True,
                                  timeout=least.get(binary, 3000) * 3 + 20)
        except subprocess.TimeoutExpired:
            return "it does not end"
        if done.returncode != 0:
            failed = re.search(r"^---- (\S+)", done.stdout, re.M)
            return failed[1] if failed else "a failure"
        if not names:
            least.setdefault(binary, time.monotonic() - began)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rooms", nargs="+")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--copy", type=pathlib.Path)
    parser.add_argument("--numbers", nargs="*")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--it", default="")
    options = parser.parse_args()
    known = {f"{room}:{count}": at for room in options.rooms for count, at in enumerate(conditions(room))}
    if options.list:
        for mutant, (path, number, line) in known.items():
            print(mutant, f"{path}:{number + 1}", line.strip(), sep=" | ")
        return
    options.copy.mkdir(parents=True, exist_ok=True)
    tests, unswitched = built(options.copy, options.rooms, options.it != "")
    drawn = options.numbers or random.Random(options.seed).sample(sorted(known), min(options.sample, len(known)))
    log, least = options.copy / "tried.tsv", {}
    done = {line.split("\t")[0] for line in log.read_text().splitlines()} if log.exists() else set()
    for room in {mutant.split(":")[0] for mutant in drawn}:
        broken = noticed(tests.get(room, []), "", [], least)
        if broken:
            raise SystemExit(f"{room}: {broken} fails without a fault")
    for mutant in drawn:
        path, number, line = known[mutant]
        step = f"{mutant} {options.it}".strip()
        if step in done:
            continue
        said = "not switched" if mutant in unswitched else None
        if not options.it:
            # Most faults are noticed by the tests of their own file, which take least.
            room, own = mutant.split(":")[0], "::".join(path.with_suffix("").parts[2:])
            for names in ([own.removesuffix("::mod")], []):
                said = said or noticed(tests.get(room, []), mutant, names, least)
        elif not said:
            said = noticed(tests["it"], mutant, options.it.split(","), {tests["it"][0][0]: 300})
        row = "\t".join([step, f"{path}:{number + 1}", line.strip(), said or "SURVIVED"])
        with log.open("a") as file:
            print(row, file=file)
        print(row, flush=True)


if __name__ == "__main__":
    main()
