//! The reference of the experiment file, `docs/experiment-file.md`, from the descriptors of its
//! keys and of the methods' parameters.

use std::fmt::Write as _;

use super::file::{SECTIONS, VERSION};
use super::key::{Absent, Form, Key, Kinds, Section, Variant};
use contract::parameter::{Domain, Parameter, Value};
use contract::{METRICS, MethodEntry, TaskKind};

const HEAD: &str = "\
# The experiment file

<!-- Generated from the descriptors in src/spec/file/ and src/method/. Do not edit:
     REPRISE_UPDATE_DOCS=1 cargo test --test spec -->

An experiment is one TOML file. `reprise run FILE` runs it. Every error of a file is reported at
once, with its line and the nearest valid name, before any data is looked for. `reprise schema`
prints the JSON Schema of this format for editors.

An *id* is made of letters, digits, `-`, `_`, `.` and `+`, and begins with a letter or digit; the id
of an experiment is lower-case, without `.` and `+`, in parts joined by `/`. An *axis* is
`\"dataset\"`, `\"method\"`, `\"part\"`, `\"metric\"`, `\"sweep:NAME\"` or `\"grid:NAME\"`, NAME being a
parameter. Lists are not empty and have no item twice.

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

/// The whole reference, for these methods.
pub fn markdown(methods: &[&'static MethodEntry]) -> String {
    let mut text = HEAD.to_owned();
    let _ =
        writeln!(text, "The file begins with `schema = {VERSION}`, the version of the format.\n");
    for section in SECTIONS {
        text += &of_section(section);
    }
    text += PROFILES;
    text += "## Metrics\n\n| metric | unit | meaning |\n|---|---|---|\n";
    for metric in METRICS {
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
    let keys: &[&[Key]] = if section.name == "part" { &section.keys[..1] } else { section.keys };
    let mut keys: Vec<&Key> = keys.iter().copied().flatten().collect();
    let kind;
    if let Kinds::Listed(_) = section.kinds {
        kind = Key {
            name: "kind",
            form: Form::Any,
            absent: Absent::Required,
            meaning: "one of those below; further keys depend on it",
        };
        keys.insert(1, &kind);
    }
    let mut seen = Vec::new();
    text += &table(&keys, &mut seen);
    if section.name == "part" {
        text += "Every key of `[task]` may be given too.\n\n";
    }
    if let Kinds::Listed(variants) = section.kinds {
        text += &of_variants(variants, "kind = ", "\"", &mut seen);
    }
    text
}

fn of_variants(variants: &[Variant], before: &str, quote: &str, seen: &mut Vec<String>) -> String {
    let mut text = String::new();
    for variant in variants {
        let _ = writeln!(
            text,
            "### `{before}{quote}{}{quote}`\n\n{}.\n",
            variant.word,
            capitalised(variant.meaning)
        );
        if !variant.keys.is_empty() {
            text += &table(&variant.keys.iter().collect::<Vec<_>>(), seen);
        }
    }
    text
}

/// A table of keys; below it, the words that they can be and the tables that they hold, but those
/// that have been `seen` in the section.
fn table(keys: &[&Key], seen: &mut Vec<String>) -> String {
    let mut text = "| key | value | default | meaning |\n|---|---|---|---|\n".to_owned();
    let mut details = String::new();
    for key in keys {
        let absent = match key.absent {
            Absent::Required => "required".to_owned(),
            Absent::Value(literal) => format!("`{literal}`"),
            Absent::Means(words) => words.to_owned(),
        };
        let value = if key.name == "kind" && matches!(key.form, Form::Any) {
            "word".to_owned()
        } else {
            value(&key.form)
        };
        let _ = writeln!(text, "| `{}` | {value} | {absent} | {} |", key.name, key.meaning);
        let detail = detail(key.name, &key.form, seen);
        if !seen.contains(&detail) {
            details += &detail;
            seen.push(detail);
        }
    }
    format!("{text}\n{details}")
}

/// A form in few words.
fn value(form: &Form) -> String {
    match form {
        Form::One(Domain::Word(_)) => "word".to_owned(),
        Form::One(domain) => super::key::expected(*domain),
        Form::Text(pattern) => pattern.noun.to_owned(),
        Form::Any => "truth value, number or word".to_owned(),
        Form::TaskKind => {
            let words: Vec<String> =
                TaskKind::ALL.iter().map(|(word, _)| format!("`\"{word}\"`")).collect();
            words.join(", ")
        }
        Form::Metric => "metric".to_owned(),
        Form::List(item) => format!("list: {}", value(item)),
        Form::OneOrMany(item) => format!("{0}; or list: {0}", value(item)),
        Form::Table(_) | Form::OneOf(_) => "table".to_owned(),
        Form::Axes => "table of lists".to_owned(),
        Form::Either(forms) => forms.iter().map(value).collect::<Vec<_>>().join("; or "),
    }
}

/// What does not fit into a table's cell.
fn detail(name: &str, form: &Form, seen: &mut Vec<String>) -> String {
    match form {
        Form::One(Domain::Word(words)) => {
            let mut text = format!("`{name}`:\n\n");
            for (word, meaning) in *words {
                let _ = writeln!(text, "- `\"{word}\"`: {meaning}");
            }
            text + "\n"
        }
        Form::Table(keys) => {
            format!("`{name}` is a table:\n\n{}", table(&keys.iter().collect::<Vec<_>>(), seen))
        }
        Form::OneOf(variants) => {
            format!(
                "`{name}` as a table has one key:\n\n{}",
                of_variants(variants, &format!("{name}."), "", seen)
            )
        }
        Form::Either(forms) => forms.iter().map(|form| detail(name, form, seen)).collect(),
        _ => String::new(),
    }
}

fn of_method(method: &MethodEntry) -> String {
    let mut text = format!(
        "\n### `kind = \"{}\"` ({})\n\n{}. {}.\n\n",
        method.kind,
        method.tasks().map(TaskKind::word).collect::<Vec<_>>().join(", "),
        capitalised(method.summary).trim_end_matches('.'),
        capitalised(method.source).trim_end_matches('.')
    );
    if method.parameters.is_empty() {
        return text + "It has no parameters.\n";
    }
    text += "| parameter | value | default | meaning |\n|---|---|---|---|\n";
    let mut details = String::new();
    for parameter in method.parameters {
        let form = Form::One(parameter.domain);
        let _ = writeln!(
            text,
            "| `{}` | {} | `{}` | {} |",
            parameter.name,
            value(&form),
            default(parameter),
            parameter.meaning
        );
        let words = detail(parameter.name, &form, &mut Vec::new());
        if !words.is_empty() {
            let _ = write!(details, "\n{}", words.trim_end_matches('\n'));
            details += "\n";
        }
    }
    text + &details
}

fn default(parameter: &Parameter) -> String {
    match Value::from(parameter.default) {
        Value::Text(word) => format!("{word:?}"),
        value => value.to_string(),
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
