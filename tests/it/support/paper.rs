//! A small experiment that has all of what pages, explanations and comparisons are about.

use super::experiment::{Bench, choices};
use std::path::PathBuf;

/// Two methods, one with a grid and one with a choice, two data sets, three repeats; published values; a test, a
/// figure, claims.
pub const SPEC: &str = r#"
schema = 1
[experiment]
id = "small/paper"
title = "Trees against naive Bayes"
paper = "evm"
seed = 5
[task]
kind = "density"
datasets = ["generated-tree", "generated-blocks"]
split = "published"
repeats = 3
metrics = ["test_ll", "valid_ll"]
[[method]]
id = "CL"
kind = "chow-liu"
[[method]]
id = "NB"
kind = "latent-nb"
grid = { components = [2, 5] }
select = "valid_ll"
[[choice]]
id = "smooth"
question = "How much smoothing?"
target = ["method:CL"]
parameter = "smoothing"
options = [0.1, 1.0]
chosen = 0.1
why = "it is small"
[[test]]
id = "paired"
kind = "paired-t"
metric = "test_ll"
reference = "CL"
pair_by = "repeat"
[[table]]
id = "scores"
title = "Test log-likelihood"
rows = "dataset"
columns = "method"
metric = "test_ll"
digits = 2
sd = "repeat"
best = "max"
published = "published/scores.csv"
[[figure]]
id = "dots"
kind = "dot"
x = "dataset"
y = "test_ll"
series = "method"
[[claim]]
id = "tree-wins"
text = "Trees are better on the tree."
source = "section 1"
check.wins = { left = "CL", right = "NB", metric = "test_ll", at_least = 1 }
[[claim]]
id = "blocks-too"
text = "And on blocks."
source = "section 1"
check.wins = { left = "CL", right = "NB", metric = "test_ll", at_least = "all" }
"#;

/// The published values beside it.
pub const PUBLISHED: (&str, &str) = (
    "published/scores.csv",
    "row,column,metric,value,sd\ngenerated-tree,CL,test_ll,-21.77,\ngenerated-tree,NB,test_ll,-23.00,\n",
);

/// The experiment in a folder of its own, run with its choices into `results`.
pub fn small() -> (Bench, PathBuf) {
    let bench = Bench::with(SPEC, &[PUBLISHED]);
    let dir = bench.run_with("results", &choices());
    (bench, dir)
}
