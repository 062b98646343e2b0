#!/usr/bin/env python3
"""Trouble of every kind for small experiments, round after round.

    tests/chaos/chaos.py --binary target/release/reprise --rounds 20 --seed 1

A round runs an experiment in a new folder under one trouble, then again without. It must end in one of these ways:

- the bytes are those of an undisturbed run: every file of the results but those of `timing/`;
- the run was refused with a known exit code and a message, or was ended by the signal, nothing half done is sealed,
  and the same command then gives the same bytes.

Anything else is a failure: a panic, another exit code, other bytes, a seal on less. It is printed with the seed of its
round, the folder is kept, and the exit code is 1. `--seed S --rounds 1 --trouble KIND` plays a round again.

With `--executor fake` or `--executor slurm` the run in trouble is one that hands chunks to Slurm: to a stand-in that
executes them at once, or to the real one, which has to be there. What it left is finished by a run on this machine.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
EXPERIMENTS = {
    "quick": (HERE / "quick.toml", []),
    "grid": (HERE / "grid.toml", ["--choices"]),
    "quickstart": (HERE.parent.parent / "experiments/quickstart.toml", []),
}
# As `reprise` documents them; by a signal it ends below 0 here.
REFUSALS = {1, 2, 3, 4, 5, 130}
JOURNAL = ".journal"
# The one has digests of times, the other shows times; no digest is over either.
NOT_COMPARED = {"manifest.toml", "report.html"}
TIMEOUT = 600


class Wrong(Exception):
    """A round did not end as it must."""


class World:
    """The program, where its chunks are executed, the preloaded shim, and what undisturbed runs give."""

    def __init__(self, binary, scratch, executor):
        self.binary, self.scratch, self.executor = str(binary), scratch, executor
        self.shim = scratch / "shim.so"
        compile = ["cc", "-shared", "-fPIC", "-O1", "-o", self.shim, HERE / "shim.c", "-ldl"]
        subprocess.run(compile, check=True)
        self.expected, self.seconds = {}, {}

    def undisturbed(self, experiment):
        if experiment not in self.expected:
            folder = self.scratch / f"undisturbed-{experiment}"
            before = time.monotonic()
            finish(self.here(folder, experiment), folder, {0})
            self.seconds[experiment] = time.monotonic() - before
            self.expected[experiment] = outputs(folder, experiment)
        return self.expected[experiment]

    def command(self, folder, experiment):
        file, options = EXPERIMENTS[experiment]
        places = ["--results", folder / "results", "--cache", folder / "cache", "--offline", "--quiet"]
        return [self.binary, "run", file, *options, *places]

    def environment(self):
        kept = {k: v for k, v in os.environ.items() if not k.startswith("REPRISE_")}
        return kept | {"TMPDIR": str(self.scratch)}

    def here(self, folder, experiment):
        """A run on this machine."""
        return started(self.command(folder, experiment), self.environment())

    def start(self, folder, experiment, chaos=None):
        """A run that is in trouble, by the executor that is asked for."""
        command, environment = self.command(folder, experiment), self.environment()
        if self.executor:
            # Some ten chunks of each, of estimated seconds.
            command += ["--executor", "slurm", "--chunk", "0.02", "--slurm", "time=10"]
        if self.executor == "fake":
            fake = self.scratch / f"fake-{folder.name}"
            fake.mkdir(exist_ok=True)
            tools = HERE.parent / "it/slurm"
            environment |= {"FAKE": str(fake), "PATH": f"{tools}:{environment['PATH']}"}
        if chaos:
            environment |= {"LD_PRELOAD": str(self.shim), "CHAOS": chaos}
        return started(command, environment)

    def settle(self, folder):
        """Waits for the jobs of a folder, which outlive the command that submitted them."""
        if not self.executor:
            return
        for _ in range(10 * TIMEOUT):
            queued = self.executor == "slurm" and output(["squeue", "-h"])
            if not queued and not output(["pgrep", "-f", f"worker .*{folder}/"]):
                return
            time.sleep(0.1)
        raise Wrong("its jobs did not end")


def started(command, environment):
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def output(command):
    return subprocess.run(command, stdout=subprocess.PIPE).stdout


def outputs(folder, experiment):
    """The deterministic bytes of a results folder, and the digest that its manifest names."""
    root = folder / "results" / experiment
    files = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_file() and not name.startswith((JOURNAL, "timing/")) and name not in NOT_COMPARED:
            files[name] = path.read_bytes()
    manifest = root / "manifest.toml"
    lines = manifest.read_text().splitlines() if manifest.exists() else []
    return files, [line for line in lines if line.startswith("digest")]


def foreign(folder, experiment):
    """Whether there are files, but neither a seal nor a journal that would say whose they are."""
    root = folder / "results" / experiment
    return root.exists() and not sealed(folder, experiment) and not any((root / JOURNAL).glob("*.journal"))


def sealed(folder, experiment):
    return (folder / "results" / experiment / "manifest.toml").exists()


def finish(process, folder, known):
    """Waits for the end, which has a known exit code and, unless it went well, a message."""
    try:
        _, message = process.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        raise Wrong("it did not end") from None
    text = message.decode(errors="replace")
    if "panicked" in text or "RUST_BACKTRACE" in text:
        raise Wrong(f"it panicked: {text}")
    if process.returncode not in known:
        raise Wrong(f"it ended with {process.returncode}: {text}")
    if process.returncode > 0 and not text.strip():
        raise Wrong(f"it ended with {process.returncode} and said nothing")
    return process.returncode


def later(world, experiment, random):
    """Some time within a run, and a little more."""
    time.sleep(random.uniform(0, 1.1) * world.seconds[experiment])


# Each trouble plays one run in the folder, and returns the exit codes that it ended with. `known` are those that are
# allowed beside refusals.

SIGNALS = [
    number
    for number in signal.valid_signals()
    if number < 32 and number not in (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)
]


def killed(world, folder, experiment, random):
    process = world.start(folder, experiment)
    later(world, experiment, random)
    number = random.choice(SIGNALS)
    process.send_signal(number)
    # A signal that is handled may end it in order; an uncaught one does so at once; some are not noticed.
    return [finish(process, folder, REFUSALS | {0, -number})]


def killed_often(world, folder, experiment, random):
    codes = []
    for _ in range(random.randint(2, 6)):
        codes += killed(world, folder, experiment, random)
    return codes


def halted(world, folder, experiment, random, damage):
    """A run that stands still while something happens to its folder."""
    process = world.start(folder, experiment)
    later(world, experiment, random)
    process.send_signal(signal.SIGSTOP)
    damage(folder / "results" / experiment)
    process.send_signal(signal.SIGCONT)
    return [finish(process, folder, REFUSALS | {0})]


def damage_bytes(random, path):
    """Bytes flipped, removed, repeated, cut off, or made up."""
    try:
        content = bytearray(path.read_bytes())
        for _ in range(random.randint(1, 4)):
            at = random.randrange(len(content) + 1)
            until = min(at + random.randrange(200), len(content))
            kind = random.randrange(6)
            if kind == 0 and at < len(content):
                content[at] ^= 1 << random.randrange(8)
            elif kind == 1:
                del content[at:until]
            elif kind == 2:
                content[at:at] = content[at:until]
            elif kind == 3:
                del content[at:]
            elif kind == 4:
                content[at:at] = random.randbytes(random.randrange(100)) + b"\n"
            else:
                content[at:until] = bytes(until - at)
        path.write_bytes(content)
    except FileNotFoundError:
        pass


def damage_journals(root, random):
    for path in sorted((root / JOURNAL).glob("*.journal")):
        damage_bytes(random, path)


def journal_damaged_between(world, folder, experiment, random):
    process = world.start(folder, experiment)
    later(world, experiment, random)
    process.kill()
    codes = [finish(process, folder, REFUSALS | {0, -signal.SIGKILL})]
    damage_journals(folder / "results" / experiment, random)
    return codes


def journal_damaged_at_work(world, folder, experiment, random):
    return halted(world, folder, experiment, random, lambda root: damage_journals(root, random))


def journal_removed_at_work(world, folder, experiment, random):
    def remove(root):
        for path in (root / JOURNAL).glob("*") if random.random() < 0.5 else [root / JOURNAL]:
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)

    return halted(world, folder, experiment, random, remove)


def folder_moved(world, folder, experiment, random):
    """Moved away; some are put back, over what a run in the old place may have made."""
    moved = folder / "moved"

    def move(root):
        if root.exists():
            root.rename(moved)

    codes = halted(world, folder, experiment, random, move)
    if moved.exists() and random.random() < 0.5:
        root = folder / "results" / experiment
        shutil.rmtree(root, ignore_errors=True)
        root.parent.mkdir(parents=True, exist_ok=True)
        moved.rename(root)
    return codes


def cache_damaged(world, folder, experiment, random):
    process = world.start(folder, experiment)
    later(world, experiment, random)
    process.kill()
    codes = [finish(process, folder, REFUSALS | {0, -signal.SIGKILL})]
    for path in (folder / "cache").rglob("*"):
        if path.is_file():
            damage_bytes(random, path)
    return codes


def several(world, folder, experiment, random):
    """Some at once; one of them may be killed. Who does not get the folder says so."""
    processes = []
    for _ in range(random.randint(2, 4)):
        processes.append(world.start(folder, experiment))
        time.sleep(random.uniform(0, 0.1))
    victim = random.choice([None, *processes])
    if victim:
        later(world, experiment, random)
        victim.kill()
    return [finish(process, folder, REFUSALS | {0, -signal.SIGKILL}) for process in processes]


def preloaded(name, draw):
    def trouble(world, folder, experiment, random):
        return [finish(world.start(folder, experiment, f"{name}={draw(random)}"), folder, REFUSALS | {0})]

    return trouble


def small_disk(world, folder, experiment, random):
    """A real file system that is too small, where one may be mounted."""
    size = random.choice([16, 32, 64, 128, 256, 512])
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "none", folder], stderr=subprocess.DEVNULL).returncode:
        folder.rmdir()
        return preloaded("full", lambda random: size * 1024)(world, folder, experiment, random)
    try:
        codes = [finish(world.start(folder, experiment), folder, REFUSALS | {0})]
        world.settle(folder)
        # The disk grows, and what is on it stays.
        subprocess.run(["mount", "-o", "remount,size=256m", folder], check=True)
        ended(world, folder, experiment, codes)
        return codes
    finally:
        kept = folder.with_name(folder.name + "-kept")
        shutil.copytree(folder, kept, symlinks=True)
        subprocess.run(["umount", folder], check=True)
        folder.rmdir()
        kept.rename(folder)


def up_to(most):
    """Small numbers more often than large ones."""
    return lambda random: int(most ** random.random())


TROUBLES = {
    "a signal": killed,
    "signals, again and again": killed_often,
    "journal damaged between runs": journal_damaged_between,
    "journal damaged at work": journal_damaged_at_work,
    "journal removed at work": journal_removed_at_work,
    "folder moved at work": folder_moved,
    "cache damaged between runs": cache_damaged,
    "several processes": several,
    "disk full": preloaded("full", up_to(400_000)),
    "small file system": small_disk,
    "a write fails": preloaded("write", up_to(200)),
    "writes are short": preloaded("short", up_to(5)),
    "a sync fails": preloaded("sync", up_to(60)),
    "no file can be renamed": preloaded("rename", lambda random: ""),
    "a file can't be opened": preloaded("open", up_to(60)),
    "the clock jumps": preloaded("clock", up_to(10**9)),
}


def ended(world, folder, experiment, codes):
    """Checks what a run left: what is sealed is whole, and what went well is sealed."""
    expected = world.undisturbed(experiment)
    # A folder that was moved away leaves nothing behind.
    if sealed(folder, experiment):
        if outputs(folder, experiment) != expected:
            raise Wrong(f"it is sealed, and has other bytes (exit codes {codes})")
    elif 0 in codes and not (folder / "moved").exists() and not world.executor:
        raise Wrong(f"it went well, and nothing is sealed (exit codes {codes})")
    return expected


def play(world, seed, only=None):
    """One round: its trouble, its experiment, and how it ended."""
    chosen = random.Random(seed)
    names = list(TROUBLES)
    trouble = only or names[seed % len(names)]
    # The long one seldom.
    experiment = "quickstart" if chosen.random() < 0.08 else chosen.choice(["quick", "grid"])
    folder = world.scratch / f"round-{seed}"
    try:
        codes = TROUBLES[trouble](world, folder, experiment, chosen)
        world.settle(folder)
        expected = ended(world, folder, experiment, codes)
        if 0 in codes:
            how = "same bytes"
        elif any(code > 0 for code in codes):
            how = "refused"
        else:
            how = "ended by the signal"
        # The same command again, in a world that is sound.
        if trouble == "journal removed at work" and foreign(folder, experiment):
            # Nothing tells that the files are the program's own: it asks that they be moved away.
            if finish(world.here(folder, experiment), folder, {0, 5}):
                shutil.rmtree(folder / "results" / experiment)
        finish(world.here(folder, experiment), folder, {0})
        if outputs(folder, experiment) != expected or not sealed(folder, experiment):
            raise Wrong(f"the same command again gives other bytes (exit codes {codes})")
        audit = [world.binary, "audit", folder / "results"]
        if subprocess.run(audit, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            raise Wrong("the audit finds a difference")
        shutil.rmtree(folder, ignore_errors=True)
        return trouble, how
    except Wrong as wrong:
        print(f"seed {seed}: {trouble}, {experiment}: {wrong}\n  kept in {folder}", file=sys.stderr, flush=True)
        return trouble, "wrong"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1, help="the first round's; each round has the next")
    parser.add_argument("--trouble", choices=TROUBLES, help="this one in every round")
    parser.add_argument("--executor", choices=["fake", "slurm"], help="who executes the run in trouble")
    asked = parser.parse_args()
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="reprise-chaos-"))
    world = World(asked.binary.resolve(), scratch, asked.executor)
    counts = collections.Counter()
    before = time.monotonic()
    for experiment in EXPERIMENTS:
        world.undisturbed(experiment)
    seeds = range(asked.seed, asked.seed + asked.rounds)
    # The queue of Slurm is one.
    at_once = 1 if asked.executor == "slurm" else os.cpu_count()
    with concurrent.futures.ThreadPoolExecutor(at_once) as side_by_side:
        for trouble, how in side_by_side.map(lambda seed: play(world, seed, asked.trouble), seeds):
            counts[trouble, how] += 1
    hows = ["same bytes", "refused", "ended by the signal", "wrong"]
    print("| trouble | rounds | " + " | ".join(hows) + " |")
    print("|---|" + "---:|" * (len(hows) + 1))
    for trouble in [*TROUBLES, "all"]:
        row = [sum(n for (t, h), n in counts.items() if trouble in (t, "all") and h == how) for how in hows]
        if sum(row):
            print(f"| {trouble} | {sum(row)} | " + " | ".join(map(str, row)) + " |")
    print(f"\n{asked.rounds} rounds from seed {asked.seed} in {time.monotonic() - before:.0f} s")
    wrong = sum(n for (_, how), n in counts.items() if how == "wrong")
    if not wrong:
        shutil.rmtree(scratch, ignore_errors=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
