"""The other side of the dialogue, for tests of clients: writes a hand-over, starts a method and asks it."""

import csv
import json
import os
import select
import subprocess

import numpy as np

DTYPES = {"binary": "u1", "categorical": "i4", "numeric": "f8", "table": "f8"}
PATIENCE = 120.0


class HandOver:
    """A hand-over folder, with the labels that it hides."""

    def __init__(self, folder, x, y=None, *, kind="binary", gives="labels", form="npy", classes=("a", "b"), **options):
        """`x` and `y` are dictionaries by batch. `sparse` writes CSR; `sees_valid` writes the labels of `valid`."""
        self.folder, self.classes, self.gives = folder, list(classes), gives
        random = np.random.default_rng(7)
        others = [(name, row) for name in ("valid", "test") if name in x for row in range(0, len(x[name]), 2)]
        random.shuffle(others)
        self.again = [(name, int(row)) for name, row in others]
        x = {**x, "again": np.array([x[name][row] for name, row in self.again]).reshape(-1, x["train"].shape[1])}
        self.x, self.y, self.form = x, y or {}, form
        labelled = {"train"} | ({"valid"} if options.get("sees_valid") else set())
        self.task = {
            "protocol": 1,
            "task": {"log-likelihoods": "density", "values": "regression"}.get(gives, "classification"),
            "gives": gives,
            "form": form,
            "kind": kind,
            "variables": x["train"].shape[1],
            "columns": [f"x{i + 1}" for i in range(x["train"].shape[1])],
            "missing": None,
            "sparse": options.get("sparse", False),
            "dtype": DTYPES[kind],
            "sees_valid": options.get("sees_valid", False),
            "batches": {b: {"rows": len(x[b]), "labels": b in labelled and b in self.y} for b in x},
        }
        if self.y and gives != "values":
            self.task["classes"] = self.classes
        self.task.update(options.get("task", {}))
        tokens = random.integers(2**64, size=sum(map(len, x.values())), dtype="u8")
        tokens = np.split(tokens, np.cumsum([len(rows) for rows in x.values()])[:-1])
        self.tokens = dict(zip(x, tokens))
        os.makedirs(folder)
        with open(os.path.join(folder, "task.json"), "w", encoding="utf-8") as file:
            json.dump(self.task, file, ensure_ascii=False, indent=2)
        for batch, rows in x.items():
            self._write(batch, rows.astype(DTYPES[kind]))

    def _write(self, batch, x):
        has_y = self.task["batches"][batch]["labels"]
        if self.form == "csv":
            self._csv(f"{batch}.x", self.task["columns"], x.tolist())
            self._csv(f"{batch}.token", ["token"], [[token] for token in self.tokens[batch].tolist()])
            if has_y:
                self._csv(f"{batch}.y", ["y"], [[label] for label in self.y[batch].tolist()])
            return
        if self.task["sparse"]:
            ones = [np.flatnonzero(row) for row in x]
            self._npy(f"{batch}.x.indptr", np.cumsum([0] + [len(row) for row in ones]).astype("i8"))
            self._npy(f"{batch}.x.indices", np.concatenate([[], *ones]).astype("i4"))
            self._npy(f"{batch}.x.data", np.ones(sum(map(len, ones)), "u1"))
        else:
            self._npy(f"{batch}.x", np.ascontiguousarray(x))
        self._npy(f"{batch}.token", self.tokens[batch])
        if has_y:
            self._npy(f"{batch}.y", self.y[batch].astype("f8" if self.gives == "values" else "i4"))

    def _npy(self, name, array):
        np.save(os.path.join(self.folder, f"{name}.npy"), array, allow_pickle=False)

    def _csv(self, name, header, rows):
        with open(os.path.join(self.folder, f"{name}.csv"), "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(header)
            writer.writerows(["NaN" if value != value else value for value in row] for row in rows)


class Method:
    """A running method. As a context manager it ends its input, and waits for the exit."""

    def __init__(self, command, hand_over, scratch, *, threads=1, code=None):
        """`code` is the folder of its own files; the working folder, if it is not given."""
        self.hand_over, self.scratch = hand_over, scratch
        receive, send = os.pipe()
        self.log = os.path.join(scratch, "log")

        def reply_at_three():
            os.dup2(send, 3)
            os.set_inheritable(3, True)

        environment = {
            "PATH": os.environ["PATH"],
            "HOME": scratch,
            "TMPDIR": scratch,
            "REPRISE_REPLY_FD": "3",
            "REPRISE_PROTOCOL": "1",
            "OMP_NUM_THREADS": str(threads),
        }
        # A library that sums in another order than that of the tests gives other bits.
        environment.update({name: os.environ[name] for name in os.environ if name.startswith("OPENBLAS_")})
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                close_fds=False,
                preexec_fn=reply_at_three,
                env=environment,
                cwd=code,
            )
        os.close(send)
        self.replies, self.waiting, self.trials = receive, b"", 0
        try:
            self.ready = self.reply()
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            self.exit = self.process.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.exit = self.process.wait()
        os.close(self.replies)

    def output(self):
        """What the method has written to stdout and stderr."""
        with open(self.log, encoding="utf-8") as log:
            return log.read()

    def reply(self):
        """The next line of the method."""
        while b"\n" not in self.waiting:
            if not select.select([self.replies], [], [], PATIENCE)[0]:
                raise TimeoutError("no reply:\n" + self.output())
            read = os.read(self.replies, 1 << 16)
            if not read:
                raise EOFError("the method ended:\n" + self.output())
            self.waiting += read
        line, self.waiting = self.waiting.split(b"\n", 1)
        return json.loads(line)

    def ask(self, parameters=None, seed=1, answer=("valid", "test", "again")):
        """One trial: the reply, the folder of answers."""
        self.trials += 1
        out = os.path.join(self.scratch, f"out{self.trials}")
        os.makedirs(out)
        request = {
            "trial": f"{self.trials:x}",
            "data": self.hand_over.folder,
            "out": out,
            "seed": seed,
            "parameters": parameters or {},
            "seconds": None,
            "answer": list(answer),
        }
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        reply = self.reply()
        assert reply["trial"] == request["trial"], reply
        return reply, out

    def answers(self, *arguments, **named):
        """One trial that must succeed: {batch: answers in the order of the rows}, checked as reprise checks them."""
        reply, out = self.ask(*arguments, **named)
        assert reply.get("done") is True, (reply, self.output()[-4000:])
        asked = named.get("answer", ("valid", "test", "again"))
        found = {batch: self._answer(out, batch) for batch in asked}
        if "again" in found:
            for place, (batch, row) in enumerate(self.hand_over.again):
                if batch in found:
                    # But for rounding: a product of one row may be summed otherwise than one of many.
                    once, again = found[batch][row], found["again"][place]
                    assert (np.abs(once - again) <= 1e-6 * np.maximum(np.abs(once), 1)).all(), (once, again)
        left = {name for name in os.listdir(out) if name.endswith(".partial")}
        assert not left, left
        return found

    def _answer(self, out, batch):
        hand_over = self.hand_over
        path = os.path.join(out, f"{batch}.csv")
        if os.path.exists(path):
            with open(path, newline="", encoding="utf-8") as file:
                header, *lines = csv.reader(file)
            probabilities = hand_over.gives in ("probabilities", "scores")
            assert header == ["token", *(hand_over.classes if probabilities else ["answer"])], header
            tokens = np.array([int(line[0]) for line in lines], "u8")
            kind = int if hand_over.gives == "labels" else float
            values = np.array([[kind(value) for value in line[1:]] for line in lines])
            values = values.reshape(len(lines), len(header) - 1)
            values = values if probabilities else values[:, 0]
        else:
            tokens = np.load(os.path.join(out, f"{batch}.token.npy"), allow_pickle=False)
            values = np.load(os.path.join(out, f"{batch}.npy"), allow_pickle=False)
            assert tokens.dtype == "u8" and values.dtype == ("i4" if hand_over.gives == "labels" else "f8")
            assert values.flags.c_contiguous
        places = {int(token): place for place, token in enumerate(tokens)}
        assert len(places) == len(tokens) == len(values)
        return values[[places[int(token)] for token in hand_over.tokens[batch]]]
