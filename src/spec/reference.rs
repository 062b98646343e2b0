//! The reference of the experiment file, `docs/experiment-file.md`, from the descriptors of its
//! keys and of the methods' parameters.

use std::fmt::Write as _;

use ::task::{TASKS, Task};
use contract::{MethodEntry, Variables};
use document::reference::{Reference, capitalised};
use document::{Key, Section as _, Variant, kind_key};

use super::command;
use super::file::{OfKind, Section, VERSION, sections};
use super::known::Kinds;
use super::papers;
use super::task::{PartKeys, tasks_of};
use crate::metrics::METRICS;

const HEAD: &str = "\
# The experiment file

<!-- Generated from the declarations in src/spec/, src/report/ and src/method/. Do not edit:
     REPRISE_UPDATE_DOCS=1 cargo test --test spec -->

An experiment is one TOML file. `reprise run FILE` runs it. Every error of a file is reported at
once, with its line and the nearest valid name, before any data is looked for. `reprise schema`
prints the JSON Schema of this format for editors.

An *id* is made of letters, digits, `-`, `_`, `.` and `+`, and begins with a letter or digit; the id
of an experiment is lower-case, without `.` and `+`, in parts joined by `/`. An *axis* is
`\"dataset\"`, `\"method\"`, `\"part\"`, `\"metric\"`, `\"sweep:NAME\"` or `\"grid:NAME\"`, NAME being a
parameter. Lists are not empty and have no value twice.

No text of an experiment file, a dataset registry or a file of published values can hold a character that
is not seen: control characters, separators of lines and paragraphs, marks of direction. Line breaks and tabs may
stand in `question`, `why`, `text`, `citation` and `licence`. All else arrives in every output as it was
written. In csv files, a cell of free text (titles, labels, texts and sources of claims, evidence, notes,
messages) that a spreadsheet would take for a formula, because it begins with `=`, `+`, `-`, `@`, a tab or a
carriage return, has an apostrophe before it; numbers stand as they are, and ids never begin so.

";

const PROFILES: &str = "\
## `[profile.NAME]`

Overrides for a fast pass: `run --profile NAME`. Results go to `<id>@NAME`, never over the real
ones. A profile overrides keys of `[task]`, and keys of parts, methods and choices by their ids:

```toml
[profile.smoke]
task.datasets = [\"nltcs\"]
task.repeats = 1
method.MEVM.restarts = 1
method.L2.sweep.degree = [5]
choice.partition-rule.chosen = \"components\"
```

`sweep` and `grid` are overridden axis by axis, all else key by key. Lists elsewhere in the file
that name datasets which the profile drops are narrowed to what remains.

## Published values

`published` names a csv file in the folder `published` beside the experiment file,
with the header `row,column,metric,value,sd`. `row` and `column` are the ids of the table's rows and
columns; several axes join with a space, as in `nltcs degree=15`. An empty `value` says that the
paper has no number there. `sd` may be empty. Lines that begin with `#` are comments. Ids that only
the paper knows are allowed; an id of the experiment in other letters is an error.

";

const AGREEMENT: &str = "\
## Agreement with the paper

Each cell with a published value and one of ours gets a word, in the column `agreement` of the table's csv file. The
words are counted below each table and in the summary. The first that holds:

| word | our value |
|---|---|
| `rounding` | differs by at most half a unit of the last digit that the paper prints |
| `noise` | differs by at most that and half the width of the 95% interval of ours (column `noise`) |
| `explained` | differs by more, and a `[[difference]]` has its `cause` |
| `no-noise-known` | differs by more than rounding, does not vary, and no `[[difference]]` names it |
| `unexplained` | all others: a `[[difference]]` says what was `tried`, or nobody says anything |

The interval is Student's t over what the experiment repeats: seeds or draws (`repeats`), folds, resamples; values are
averaged over problems first. The error of the mean is s/\u{221a}n, also where training sets overlap (cross-validation,
resamples). The paper's value is of the same data, so ours may differ from it by the choice of seeds and divisions only. What
`sd = \"standard-error\"` shows there is another error, Nadeau and Bengio's: how well the method would do on other data. A value
of one trial does not vary, nor does one whose repeats are all equal, nor one that leaves each example out once.

The paper's own value is of one run too. `prediction` is half the width of the 95% interval in which another run by our
procedure would lie: one more seed or draw, t s \u{221a}(1 + 1/n); or the mean of as many more divisions, t s \u{221a}(2/n). `predicted`
says whether the paper's value lies there, give or take half a unit of its last digit. It decides nothing; a line below
the table counts it. Cells that differ and that no `[[difference]]` names are named there too.

A `[[difference]]` on a cell that agrees by rounding or noise is an error: of `report` and `run`, and of `plan` where
the trials are stored. The trials stay; remove the cell from the note. Under a profile nothing is checked.

";

/// The whole reference, for these methods, and kinds of tests, figures and claims.
pub fn markdown(methods: &[&'static MethodEntry], kinds: &Kinds) -> String {
    let mut text = HEAD.to_owned();
    let _ =
        writeln!(text, "The file begins with `schema = {VERSION}`, the version of the format.\n");
    for section in &sections(kinds) {
        text += &of_section(section);
    }
    text += PROFILES;
    text += AGREEMENT;
    text += "## papers.toml\n\n\
             The papers that `paper` of `[experiment]` names: the file of this name beside the experiment file or \
             nearest above it, in place of the built-in one. Each paper is a table under its key, such as `[evm]`:\n\n";
    text += &Reference::default().table(&papers::keys());
    text += "## Metrics\n\n| metric | unit | meaning |\n|---|---|---|\n";
    for metric in METRICS.iter() {
        let _ = writeln!(text, "| `{}` | {} | {} |", metric.name, metric.unit, metric.meaning);
    }
    text += "\nMetrics that begin with `time:` read a clock: they are recorded under `timing/`.\n";
    text += "\n## Methods\n";
    for method in methods {
        text += &of_method(method);
    }
    text
}

fn of_section(section: &Section) -> String {
    let mut text = format!("## {}\n\n{}\n\n", section.heading(), section.meaning);
    let mut reference = Reference::default();
    if section.name == "part" {
        text += &reference.table(&PartKeys::keys());
        return text + "Every key of `[task]` may be given too.\n\n";
    }
    if section.name == "program" {
        return text
            + "Every key of [`kind = \"command\"`](#kind--command-density-classification-regression) may be given.\n\n";
    }
    let mut keys = section.keys.clone();
    let variants = match &section.kinds {
        OfKind::None | OfKind::Methods => return text + &reference.table(&keys),
        OfKind::Listed(variants) => {
            keys.insert(1, kind_key());
            variants.clone()
        }
        OfKind::Tasks => TASKS.iter().map(|task| of_task(*task)).collect(),
    };
    text += &reference.table(&keys);
    text + &reference.variants(&variants, "kind = ", "\"")
}

fn of_task(task: &'static dyn Task) -> Variant {
    let keys = task.keys().iter().map(Key::from).collect();
    Variant { word: task.word(), meaning: task.meaning(), keys }
}

/// The data that a method takes, as a phrase.
pub fn taken(method: &MethodEntry) -> String {
    let words: Vec<&str> = method.takes().into_iter().map(Variables::word).collect();
    match words.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        words => words.concat(),
    }
}

fn of_method(method: &'static MethodEntry) -> String {
    let text = format!(
        "\n### `kind = \"{}\"` ({})\n\n{}. {}. It takes {}.{}\n\n",
        method.kind,
        tasks_of(method).map(Task::word).collect::<Vec<_>>().join(", "),
        capitalised(method.summary).trim_end_matches('.'),
        capitalised(method.source).trim_end_matches('.'),
        taken(method),
        if method.probabilities { " It gives probabilities of classes." } else { "" }
    );
    let parameters = command::of_kind(method);
    if parameters.is_empty() {
        return text + "It has no parameters.\n";
    }
    text + Reference::default().table(&parameters).trim_end_matches('\n') + "\n"
}
