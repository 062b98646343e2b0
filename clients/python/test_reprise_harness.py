"""Tests of the package: `REPRISE_BINARY=target/release/reprise python clients/python/test_reprise_harness.py`.

What reads frames needs pandas, and is skipped without it.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import reprise_harness  # noqa: E402

BINARY = os.environ.get("REPRISE_BINARY") and os.path.abspath(os.environ["REPRISE_BINARY"])
PANDAS = importlib.util.find_spec("pandas") is not None


def python(code, **environment):
    """Runs code in a process without the variable that names the program."""
    kept = {name: value for name, value in os.environ.items() if name != "REPRISE_BINARY"}
    return subprocess.run(
        [sys.executable, "-c", code], env={**kept, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    )


def program(folder, says):
    """A program that says this of its version."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "reprise"
    file.write_text(f"#!/bin/sh\necho '{says}'\n")
    file.chmod(0o755)
    return file


class Finding(unittest.TestCase):
    ASK = "import reprise_harness; print(reprise_harness.binary())"

    def setUp(self):
        if (Path(sysconfig.get_path("scripts")) / "reprise").exists():
            self.skipTest("the package is installed beside this Python, and found first")
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = Path(held.name).resolve()

    def test_the_variable_comes_first(self):
        file = program(self.folder, "anything")
        asked = python(self.ASK, REPRISE_BINARY=str(file), PYTHONPATH=str(HERE))
        self.assertEqual(asked.stdout.strip(), str(file))

    def test_a_variable_that_names_no_program_is_an_error(self):
        asked = python(self.ASK, REPRISE_BINARY="/nowhere/reprise", PYTHONPATH=str(HERE))
        self.assertIn("REPRISE_BINARY is /nowhere/reprise, which can't be executed", asked.stderr)

    def test_others_programs_of_the_name_are_passed_over_and_named(self):
        file = program(self.folder, "reprise 4.2")
        asked = python(self.ASK, PATH=str(self.folder), PYTHONPATH=str(HERE), HOME=str(self.folder))
        self.assertNotEqual(asked.returncode, 0)
        self.assertIn(f"{file}, on PATH: another program or version, it says 'reprise 4.2'", asked.stderr)

    def test_every_folder_of_path_is_looked_at_and_every_place_is_listed(self):
        empty, foreign, broken, own = (self.folder / name for name in ("empty", "foreign", "broken", "own"))
        program(foreign, "reprise 4.2")
        program(broken, "").write_text("#!/nowhere/sh\n")
        file = program(own, "reprise 1.2.3-dev (reprise-harness)")
        # The package is installed as far as its metadata say.
        metadata = self.folder / "site" / "reprise_harness-1.2.3.dist-info" / "METADATA"
        metadata.parent.mkdir(parents=True)
        metadata.write_text("Metadata-Version: 2.1\nName: reprise-harness\nVersion: 1.2.3.dev0\n")
        modules = os.pathsep.join([str(HERE), str(metadata.parent.parent)])
        folders = [str(empty), str(foreign), str(broken), str(own)]
        ask = lambda path: python(self.ASK, PATH=os.pathsep.join(path), PYTHONPATH=modules, HOME=str(self.folder))
        self.assertEqual(ask(folders).stdout.strip(), str(file))
        said = ask(folders[:3]).stderr
        for place in [
            Path(sysconfig.get_path("scripts")),
            self.folder / ".local" / "bin",
            HERE / "bin",
            Path(sys.prefix) / "bin",
        ]:
            self.assertIn(f"  {place / 'reprise'}: not there", said)
        self.assertIn(f"  {empty / 'reprise'}, on PATH: not there", said)
        self.assertIn(f"  {foreign / 'reprise'}, on PATH: another program or version, it says 'reprise 4.2'", said)
        self.assertIn(f"  {broken / 'reprise'}, on PATH: another program or version, it says \"[Errno 2] No such file", said)

    def test_a_user_install(self):
        site = self.folder / "home" / ".local"
        file = program(site / "bin", "this")
        asked = python(self.ASK, PYTHONPATH=str(HERE), HOME=str(self.folder / "home"))
        self.assertEqual(asked.stdout.strip(), str(file), asked.stderr)

    def test_target_and_prefix(self):
        for place in ["target", "prefix/lib/python3/site-packages"]:
            package = self.folder / place / "reprise_harness"
            shutil.copytree(HERE / "reprise_harness", package)
            file = program(self.folder / place.split("/")[0] / "bin", "this")
            asked = python(self.ASK, PYTHONPATH=str(package.parent), HOME=str(self.folder))
            self.assertEqual(asked.stdout.strip(), str(file), asked.stderr)


@unittest.skipUnless(BINARY, "REPRISE_BINARY names no program")
class Running(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.held = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.held.name)
        subprocess.run([BINARY, "init", str(cls.folder / "own")], check=True, stdout=subprocess.DEVNULL)
        cls.results = reprise_harness.run(
            cls.folder / "own" / "experiment.toml", "--offline", results=cls.folder / "results"
        )

    @classmethod
    def tearDownClass(cls):
        cls.held.cleanup()

    def test_a_run_is_shown_as_its_page(self):
        shown = self.results._repr_html_()
        self.assertTrue(shown.startswith("<iframe srcdoc="))
        self.assertNotIn("<script", shown)
        again = reprise_harness.run(self.folder / "own" / "experiment.toml", results=self.folder / "results")
        self.assertEqual(again.folder, self.results.folder)

    def test_what_fails_says_so(self):
        with self.assertRaises(reprise_harness.Failed) as failed:
            reprise_harness.run(self.folder / "none.toml", results=self.folder)
        self.assertEqual(failed.exception.code, 2)
        self.assertIn("none.toml", failed.exception.message)

    def test_the_module_is_the_program(self):
        said = subprocess.run(
            [sys.executable, "-m", "reprise_harness", "--version"], env={**os.environ, "PYTHONPATH": str(HERE)}, stdout=subprocess.PIPE
        )
        self.assertRegex(said.stdout.decode(), r"^reprise \S+ \(reprise-harness\)$")

    @unittest.skipUnless(PANDAS, "pandas is not installed")
    def test_frames_have_types(self):
        trials = self.results.trials()
        self.assertEqual(str(trials["method"].dtype), "category")
        self.assertEqual(str(trials["test_accuracy"].dtype), "float64")
        self.assertTrue((trials["status"] == "ok").all())
        table = next((self.results.folder / "tables").glob("*.csv")).stem
        means = trials.groupby(["dataset", "method"], observed=True)["test_accuracy"].mean()
        cells = self.results.cells(table)
        cells = cells[cells["metric"] == "test_accuracy"]
        for row, column, value in zip(cells["row"], cells["column"], cells["value"]):
            if (row, column) in means.index:
                self.assertAlmostEqual(means[row, column], value, places=12)
        self.assertIn("p", self.results.tests().columns)
        self.assertTrue(self.results.claims()["verdict"].isin(["holds", "fails", "not-shown", "no-evidence"]).all())

    @unittest.skipUnless(PANDAS, "pandas is not installed")
    def test_accuracies_come_of_predictions(self):
        own = self.folder / "own" / "experiment.toml"
        keeping = own.with_name("keeping.toml")
        keeping.write_text(own.read_text().replace("[task]\n", '[task]\nkeep = "predictions"\n', 1))
        results = reprise_harness.run(keeping, "--replace", "--offline", results=self.folder / "keeping")
        trials = results.trials()
        for dataset in trials["dataset"].unique():
            frame = results.predictions(dataset)
            self.assertIn(str(frame["truth"].dtype), ["category"])
            hits = frame["truth"].astype(str) == frame["predicted"].astype(str)
            of_key = hits.groupby(frame["key"], observed=True).mean()
            for key, accuracy in zip(trials["key"], trials["test_accuracy"]):
                self.assertAlmostEqual(of_key[key], accuracy, places=12)
            scores = [name for name in frame.columns if name.startswith("score:")]
            self.assertEqual(len(scores), len(frame["truth"].cat.categories))
            sums = frame[scores].sum(axis=1, min_count=1).dropna()
            self.assertTrue(((sums - 1).abs() < 1e-9).all())

    @unittest.skipUnless(PANDAS, "pandas is not installed")
    def test_classes_may_be_signs_and_names_of_columns(self):
        folder = self.folder / "signs"
        folder.mkdir()
        rows = [f"{n % 7},{n % 5},{('-1', 'row', '+1')[n % 3]}" for n in range(60)]
        (folder / "signs.csv").write_text("\n".join(["a,b,target", *rows]) + "\n")
        subprocess.run([BINARY, "data", "add", "signs.csv", "--target", "target"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        experiment = folder / "signs.toml"
        experiment.write_text(
            'schema = 1\n[experiment]\nid = "signs"\ntitle = "T"\nseed = 1\n[task]\nkind = "classification"\n'
            'datasets = ["signs"]\nsplit = { cv = { folds = 3, stratified = true } }\nkeep = "predictions"\n'
            '[[method]]\nid = "m"\nkind = "majority"\n'
        )
        frame = reprise_harness.run(experiment, results=folder / "results").predictions("signs")
        self.assertEqual(sorted(frame["truth"].cat.categories), ["+1", "-1", "row"])
        self.assertEqual(sorted(frame["row"]), list(range(60)))
        self.assertIn("score:row", frame.columns)
        with self.assertRaisesRegex(FileNotFoundError, 'keep = "predictions"'):
            self.results.predictions("signs")


if __name__ == "__main__":
    unittest.main()
