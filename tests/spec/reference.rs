//! The reference of experiment files, a page for each subject, from the descriptors of its keys and of the methods'
//! parameters. Examples are cut out of one experiment file, which a test reads.

mod tables;

use std::fmt::Write as _;

use reprise::contract::MethodEntry;
use reprise::data::registry;
use reprise::document::{Form, Key, Section as _, Variant, kind_key};
use reprise::method::command::COMMAND;
use reprise::spec::{
    Catalogue, Lists, OfKind, Section, estimator_keys, json_schema, keys_of, papers::PaperKeys,
    sections,
};
use reprise::task::Task;
use serde_json::Value;

use tables::{Reference, capitalised};

const GENERATED: &str = "\
<!-- Generated from the declarations in src/spec/, src/report/ and src/method/. Do not edit:
     REPRISE_UPDATE_DOCS=1 cargo test --test spec -->

";

const INDEX: &str = "\
`reprise run FILE` runs it. Every error of a file is reported at once, with its line and the nearest valid name,
before any data is looked for. `reprise schema` prints the JSON Schema of this format for editors.
[One file](example.toml) has every section; the examples are cut out of it.

| page | sections | what it answers |
|---|---|---|
| [The experiment](experiment.md) | `[experiment]`, `[profile.NAME]`, `[leak]`, `papers.toml` | What is its id, its paper, its seed? How do I try a small part of it? |
| [The task](task.md) | `[task]`, `[[part]]` | What does a trial do, on which data, divided how? |
| [Methods](methods.md) | `[[method]]`, `[program]` | What runs? How are parameters swept and selected? |
| [Choices and differences](choices-and-differences.md) | `[[choice]]`, `[[difference]]` | What does the paper leave open, and why do cells differ from it? |
| [Tables](tables.md) | `[[table]]`, published values | What is laid out, and beside which printed numbers? |
| [Figures](figures.md) | `[[figure]]` | What is drawn? |
| [Tests](tests.md) | `[[test]]` | Is a difference significant? |
| [Claims](claims.md) | `[[claim]]` | Which sentences are judged, and how? |
| [Metrics](metrics.md) | | What can be measured, in which unit? |

Beside the experiment file:

| page | what it answers |
|---|---|
| [`datasets.toml`](datasets.md) | Which keys has the entry of a dataset? |
| [Data](data.md) | How is an entry written, where do its files come from, and how large may they be? |
| [Formats](data-formats.md) | Which formats are read, what is made of them, and which datasets need no file? |
| [Programs as methods](command-methods.md) | How does a method in another language work? |
| [Metrics with formulas](metric-definitions.md) | What exactly are log-loss, Brier, ECE, AUC, F1? |
| [Levels of the tests](calibration.md) | How often does a test find a difference where there is none? |
| [Tests and verdicts](significance.md) | What do `tests.csv` and the evidence of claims say? |
| [Commands](commands.md) | Which commands, options and exit codes are there? |
| [Results](results.md) | Which files does a run leave behind? |
| [Pages](pages.md) | What do `report.html`, `explain` and `compare` show? |

## Words and texts

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
Overrides for a fast pass: `run --profile NAME`. Results go to `<id>@NAME`, never over the real
ones. A profile overrides keys of `[task]`, and keys of parts, methods and choices by their ids.
`sweep` and `grid` are overridden axis by axis, all else key by key. Lists elsewhere in the file
that name datasets which the profile drops are narrowed to what remains.

";

const PUBLISHED: &str = "\
## Published values

```csv
row,column,metric,value,sd
# The paper has no number for LTM on Plants.
nltcs,MEVM,test_ll,-6.04,
nltcs,CL,test_ll,-6.76,
nltcs,LTM,test_ll,-6.46,
plants,LTM,test_ll,,
```

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
| `explained` | differs by more, and what the `cause` of a `[[difference]]` moves it to differs by rounding or noise |
| `in-part` | differs by more, and the `cause` closes half of the difference or more |
| `no-noise-known` | differs by more than rounding, does not vary, and no `[[difference]]` names it |
| `unexplained` | all others: a `[[difference]]` says what was `tried`, or nobody says anything |

A cause says what moves ours: `moves_to` names an option of a choice, or another experiment with the file of its cells'
values. The column `moved` has what becomes of the cell, and `share` what that closes of the difference, 1 - |moved - paper| /
|ours - paper|, ours being that of the repeats for which the option was run. A cause that closes less than half, moves away, or
moves beyond by more than ours was off is no cause: its note stands as what was tried. What a document alone shows is `tried`.

The interval is Student's t over what the experiment repeats: seeds, draws, or divisions of the data. Values are averaged
over problems and folds first, so a cross-validation counts once, however many folds it has. The error of the mean is s/\u{221a}n, also
where training sets overlap. The paper's value is of the same data, so ours may differ from it by the choice of seeds and
divisions only. What `sd = \"standard-error\"` shows there is another error, Nadeau and Bengio's: how well the method would do
on other data. A value of one repeat does not vary, nor does one whose repeats are all equal. A method without randomness
has no noise on the authors' folds, nor where each example is left out once: there is one such division.

The paper's own value is of one run too. `prediction` is half the width of the 95% interval in which another run by our
procedure would lie: one more seed or draw, t s \u{221a}(1 + 1/n); or the mean of as many more divisions, t s \u{221a}(2/n). `predicted`
says whether the paper's value lies there, give or take half a unit of its last digit. It decides nothing; a line below
the table counts it. Cells that differ and that no `[[difference]]` names are named there too.

A `[[difference]]` on a cell that agrees by rounding or noise is an error: of `report` and `run`, and of `plan` where
the trials are stored. The trials stay; remove the cell from the note. Under a profile nothing is checked.

";

/// A page of the reference.
#[derive(Debug)]
pub struct Page {
    /// The name of its file.
    pub file: String,
    /// Its text, in Markdown.
    pub text: String,
}

impl Page {
    fn new(name: &str, title: &str, body: &str) -> Self {
        let text = format!("# {title}\n\n{GENERATED}{}\n", body.trim_end());
        Self { file: format!("{name}.md"), text }
    }
}

/// The files that examples are cut out of: their tables, between empty lines.
#[derive(Debug, Clone, Copy)]
pub struct Examples<'a> {
    /// An experiment file.
    pub experiment: &'a str,
    /// A `papers.toml`.
    pub papers: &'a str,
}

impl Examples<'_> {
    /// The first table of this section that has a line with these words; nothing if there is none.
    fn of(&self, section: &str, words: &str) -> String {
        let begins = |table: &&str| {
            let name = table.trim_start_matches('[');
            name.strip_prefix(section).is_some_and(|rest| rest.starts_with([']', '.']))
        };
        let mut tables = self.experiment.split("\n\n").filter(begins);
        shown(tables.find(|table| table.contains(words)))
    }

    fn paper(&self) -> String {
        shown(self.papers.split("\n\n").find(|table| table.starts_with('[')))
    }
}

fn shown(table: Option<&str>) -> String {
    table.map_or_else(String::new, |table| format!("```toml\n{}\n```\n\n", table.trim()))
}

/// The pages of the reference, for what is known.
pub fn pages(lists: &Lists, examples: &Examples<'_>) -> Vec<Page> {
    let known = &lists.catalogue;
    let sections = sections(lists);
    let of = |names: &[&str]| -> String {
        let named = sections.iter().filter(|section| names.contains(&section.name));
        named.map(|section| of_section(section, lists, examples)).collect()
    };
    let version = version(&json_schema(lists));
    let index = format!(
        "An experiment is one TOML file. It begins with `schema = {version}`, the version of the format.\n{INDEX}"
    );
    let experiment = of(&["experiment"])
        + "## `[profile.NAME]`\n\n"
        + &examples.of("profile", "")
        + PROFILES
        + &of(&["leak"])
        + &of_papers(examples);
    let mut pages = vec![
        Page::new("index", "The experiment file", &index),
        Page::new("experiment", "The experiment", &experiment),
        Page::new("task", "The task", &of(&["task", "part"])),
        Page::new("methods", "Methods", &(of(&["method"]) + &of(&["program"]) + &list(known))),
        Page::new(
            "choices-and-differences",
            "Choices and differences",
            &(of(&["choice", "universes", "difference"]) + AGREEMENT),
        ),
        Page::new("tables", "Tables", &(of(&["table"]) + PUBLISHED)),
        Page::new("figures", "Figures", &of(&["figure"])),
        Page::new("tests", "Tests", &of(&["test"])),
        Page::new("claims", "Claims", &of(&["claim"])),
        Page::new("metrics", "Metrics", &of_metrics(known)),
    ];
    for family in families(known) {
        let of_family = known.methods.iter().filter(|method| family_of(method, known) == family);
        let mut body: String = of_family.map(|method| of_method(method, known, examples)).collect();
        if family == COMMAND.kind {
            body += &of_estimators(examples);
        }
        pages.push(Page::new(&format!("methods-{family}"), &format!("Methods: {family}"), &body));
    }
    pages
}

/// The first of the tasks that a method does; programs are a family of their own.
fn family_of(method: &MethodEntry, known: &Catalogue) -> &'static str {
    if method.kind == COMMAND.kind {
        return "command";
    }
    known.tasks_of(method).next().map_or("other", |task| task.word)
}

fn families(known: &Catalogue) -> Vec<&'static str> {
    let mut found = Vec::new();
    for method in &known.methods {
        let family = family_of(method, known);
        if !found.contains(&family) {
            found.push(family);
        }
    }
    found
}

fn of_papers(examples: &Examples<'_>) -> String {
    format!(
        "## papers.toml\n\n{}The papers that `paper` of `[experiment]` names: the file of this name beside the \
         experiment file or nearest above it, in place of the built-in one. Each paper is a table under its key, such \
         as `[evm]`:\n\n{}",
        examples.paper(),
        Reference::default().table(&PaperKeys::keys())
    )
}

fn of_metrics(known: &Catalogue) -> String {
    let mut text = "What a trial reports, and `metric` and `metrics` of other sections name. Formulas of the usual \
                    ones are in [their definitions](metric-definitions.md).\n\n\
                    | metric | unit | meaning |\n|---|---|---|\n"
        .to_owned();
    for metric in known.metrics.iter() {
        let _ = writeln!(text, "| `{}` | {} | {} |", metric.name, metric.unit, metric.meaning);
    }
    text + "\nMetrics that begin with `time:` read a clock: they are recorded under `timing/`.\n"
}

/// All methods, with the pages of their parameters.
fn list(known: &Catalogue) -> String {
    let mut text = "## Kinds\n\n| kind | tasks | what it is |\n|---|---|---|\n".to_owned();
    for family in families(known) {
        for method in known.methods.iter().filter(|method| family_of(method, known) == family) {
            let tasks: Vec<&str> = known.tasks_of(method).map(|task| task.word).collect();
            let (kind, what) = (method.kind, capitalised(method.summary));
            let anchor = format!("kind--{kind}-{}", tasks.join("-"));
            let tasks = tasks.join(", ");
            let _ =
                writeln!(text, "| [`{kind}`](methods-{family}.md#{anchor}) | {tasks} | {what} |");
        }
    }
    text
}

fn of_section(section: &Section, lists: &Lists, examples: &Examples<'_>) -> String {
    let name = section.name;
    let telling = match name {
        "part" => "split",
        "method" => "grid",
        _ => "",
    };
    let example = examples.of(name, telling);
    let mut text = format!("## {}\n\n{example}{}\n\n", section.heading(), section.meaning);
    let mut reference = Reference::default();
    if name == "part" {
        let sections = sections(lists);
        let task = sections.iter().find(|other| other.name == "task").unwrap();
        let mut own = section.keys.clone();
        own.retain(|key| task.keys.iter().all(|other| other.name != key.name));
        text += &reference.table(&own);
        return text + "Every key of `[task]` may be given too.\n\n";
    }
    if name == "program" {
        return text
            + "Every key of [`kind = \"command\"`](methods-command.md) may be given, and `environment`.\n\n";
    }
    let mut keys = section.keys.clone();
    let variants = match &section.kinds {
        OfKind::None | OfKind::Methods => checks(&mut keys),
        OfKind::Listed(variants) => {
            keys.insert(1, kind_key());
            variants.clone()
        }
        OfKind::Tasks => lists.catalogue.tasks.iter().map(|task| of_task(task)).collect(),
    };
    text += &reference.table(&keys);
    for variant in &variants {
        let word = variant.word;
        let (heading, words) = match &section.kinds {
            OfKind::None => (format!("check.{word}"), format!("check = {{ {word} = ")),
            _ => (format!("kind = \"{word}\""), format!("kind = \"{word}\"")),
        };
        // Other tasks than that of `[task]` are those of parts.
        let example = examples.of(if name == "task" { "part" } else { name }, &words);
        let meaning = capitalised(variant.meaning);
        let _ = write!(text, "### `{heading}`\n\n{meaning}.\n\n{example}");
        if !variant.keys.is_empty() {
            text += &reference.table(&variant.keys);
        }
    }
    text
}

/// Takes the forms of a claim out of its keys: each has an example of its own.
fn checks(keys: &mut [Key]) -> Vec<Variant> {
    keys.iter_mut()
        .find(|key| key.name == "check")
        .and_then(|key| match &mut key.form {
            Form::OneOf(variants) => Some(std::mem::take(variants)),
            _ => None,
        })
        .unwrap_or_default()
}

fn of_task(task: &'static Task) -> Variant {
    let keys = task.keys.iter().map(Key::from).collect();
    Variant { word: task.word, meaning: task.meaning, keys }
}

fn of_method(method: &'static MethodEntry, known: &Catalogue, examples: &Examples<'_>) -> String {
    let text = format!(
        "## `kind = \"{}\"` ({})\n\n{}{}. {}. It takes {}.{}\n\n",
        method.kind,
        known.tasks_of(method).map(|task| task.word).collect::<Vec<_>>().join(", "),
        examples.of("method", &format!("kind = \"{}\"", method.kind)),
        capitalised(method.summary).trim_end_matches('.'),
        capitalised(method.source).trim_end_matches('.'),
        method.taken(),
        if method.probabilities { " It gives probabilities of classes." } else { "" }
    );
    let parameters = keys_of(method);
    if parameters.is_empty() {
        return text + "It has no parameters.\n\n";
    }
    text + Reference::default().table(&parameters).trim_end_matches('\n') + "\n\n"
}

fn of_estimators(examples: &Examples<'_>) -> String {
    format!(
        "## `estimator` (classification, regression)\n\n{}{}{}",
        examples.of("method", "estimator = "),
        "A class of scikit-learn by its name, or any other by its full path, with the interface of scikit-learn. All keys \
         beside these are its parameters, by the names of `get_params()`: set, swept or selected. It makes the kind. \
         [scikit-learn](../guide/sklearn.md) says how.\n\n",
        Reference::default().table(&estimator_keys())
    )
}

/// The version of a format, as its JSON Schema has it.
fn version(schema: &Value) -> i64 {
    schema["properties"]["schema"]["const"].as_i64().unwrap()
}

const REGISTRY: &str = "\
# The dataset registry

<!-- Generated from the declarations in src/data/registry/. Do not edit:
     REPRISE_UPDATE_DOCS=1 cargo test --test spec -->

`datasets.toml` has an entry `[dataset.ID]` for each dataset; [data.md](data.md) says how they are written. An id is
made of letters, digits, `-`, `_` and `.`, and begins with a letter, a digit or `_`. Every error of a registry is
reported at once, with its line and the nearest valid name. `reprise schema --datasets` prints the JSON Schema of this
format for editors.

";

const REGISTRY_EXAMPLE: &str = r#"```toml
schema = 1

[dataset.passengers]
title = "Passengers"
kind = "numeric"
missing = "median"
shape = { variables = 4, rows = 1309, classes = 2 }
citation = "whom to cite"
licence = "as stated at the source"
files = [
  { role = "all", format = "csv", target = "fate", attributes = ["age", "fare", "sex", "port"], categories = ["sex", "port"], sources = [{ path = "passengers.csv" }] },
]

[dataset.drawn]
title = "Drawn from a tree"
kind = "binary"
citation = "none: drawn by reprise"
licence = "none"
generator = { kind = "tree", seed = 7, variables = 20, train = 1000, valid = 100, test = 1000 }

[dataset.few-drawn]
title = "A hundred of them"
citation = "as drawn"
licence = "as drawn"
from = "drawn"
rows = { train = [0, 100] }
```

"#;

/// The page of dataset registries.
pub fn of_registries() -> Page {
    let keys = Reference::default().table(&registry::keys());
    let version = version(&registry::json_schema());
    let text = format!(
        "{REGISTRY}The file begins with `schema = {version}`, the version of the format.\n\n## `[dataset.ID]`\n\n{REGISTRY_EXAMPLE}{keys}"
    );
    Page { file: "datasets.md".to_owned(), text: text.trim_end().to_owned() + "\n" }
}
