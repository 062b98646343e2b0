//! `reprise methods [KIND]`: every method, or one with all its parameters.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use base::text::wrapped;
use data::{DataConfig, Library};
use miette::Diagnostic;
use serde_json::{Value, json};
use thiserror::Error;

use report::sheet::{Cell, Sheet};

use super::render::{self, listing_width};
use super::{Exit, Failure, Format, Global, check};
use contract::MethodEntry;
use contract::parameter::{Domain, Parameter, Value as ParameterValue};
use document::{Key, schema, suggestion};
use reprise::KNOWN;

/// List the methods, or one of them with all its parameters
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// One method, with every parameter: type, range, default and meaning
    kind: Option<String>,
    /// Folder of the environments whose estimators are listed too [default: the platform's cache folder]
    #[arg(long, env = "REPRISE_CACHE", value_name = "DIR")]
    cache: Option<PathBuf>,
    /// How the listing is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Check(check::Args),
}

/// No method is of this kind.
#[derive(Debug, Error, Diagnostic)]
#[error("there is no method of kind `{kind}`")]
struct UnknownKind {
    kind: String,
    #[help]
    help: Option<String>,
}

/// Prints the methods, or checks one.
///
/// # Errors
/// If no method is of the kind asked for, or standard output can't be written.
pub fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    if let Some(Command::Check(args)) = &args.command {
        return check::run(args, global);
    }
    let known = &KNOWN.catalogue;
    let Some(kind) = &args.kind else {
        let listed = render::sheet(&sheet(&known.methods), args.format);
        return render::listing(&(listed + &estimators(args.cache.as_deref(), args.format)?));
    };
    let methods: Vec<&MethodEntry> = known.methods_of(kind).collect();
    if methods.is_empty() {
        let kinds: Vec<&str> = known.methods.iter().map(|method| method.kind).collect();
        let error = UnknownKind { kind: kind.clone(), help: suggestion(kind, &kinds) };
        return Err(Failure { exit: Exit::Usage, report: miette::Report::new(error) });
    }
    render::listing(&match args.format {
        Format::Text => {
            methods.iter().map(|method| describe(method)).collect::<Vec<_>>().join("\n")
        }
        Format::Json => render::json(&sheet(&methods).json()),
    })
}

/// The names that `estimator` knows, where an environment is built that has them.
fn estimators(cache: Option<&Path>, format: Format) -> Result<String, Failure> {
    let config = DataConfig { cache: cache.map(Path::to_owned), ..DataConfig::default() };
    let names = program::estimators(Library::open(&config, None)?.cache());
    if format == Format::Json || names.is_empty() {
        return Ok(String::new());
    }
    let sheet = Sheet::of("", &[names.join(", ")])
        .shown("estimator", |_: &String| "NAME(…)")
        .shown("names of scikit-learn", |names| Cell::prose(names.as_str()))
        .sheet();
    Ok(format!("\n{}", sheet.terminal(listing_width())))
}

/// Each method; `value` of a parameter is its JSON Schema.
fn sheet(methods: &[&MethodEntry]) -> Sheet {
    let takes = |method: &MethodEntry| {
        method.takes().into_iter().map(contract::Variables::word).collect::<Vec<_>>()
    };
    let parameters = |method: &MethodEntry| {
        method.parameters.iter().map(|parameter| {
            json!({ "name": parameter.name, "value": schema::value(&Key::from(parameter)) })
        }).collect::<Value>()
    };
    Sheet::of("", methods.iter().copied())
        .text("kind", "kind", |method: &MethodEntry| method.kind)
        .value("tasks", |method| json!(tasks(method)))
        .shown("tasks", |method| tasks(method).join(", "))
        .value("takes", |method| json!(takes(method)))
        .shown("takes", |method| method.taken())
        .text("summary", "what it is", |method| method.summary)
        .value("source", |method| method.source)
        .value("revision", |method| method.revision)
        .value("probabilities", MethodEntry::gives_probabilities)
        .value("parameters", parameters)
        .sheet()
}

/// The tasks that a method serves.
fn tasks(method: &MethodEntry) -> Vec<&'static str> {
    KNOWN.catalogue.tasks_of(method).map(|task| task.word).collect()
}

/// A method with its parameters.
fn describe(method: &MethodEntry) -> String {
    let of = |text: &str| wrapped(text, 0, listing_width());
    let mut text = format!(
        "{}{}task: {}{}\ntakes: {}\n",
        of(&format!("{}: {}", method.kind, method.summary)),
        of(method.source),
        tasks(method).join(", "),
        if method.probabilities { "; it gives probabilities of classes" } else { "" },
        method.taken()
    );
    if method.parameters.is_empty() {
        text += "\nIt has no parameters.\n";
        return text;
    }
    let expected = |parameter: &Parameter| match parameter.domain {
        Domain::Word(_) => "a word, see below".to_owned(),
        _ => parameter.expected(),
    };
    let parameters = Sheet::of("", method.parameters)
        .shown("parameter", |parameter: &Parameter| parameter.name)
        .shown("value", expected)
        .shown("default", default)
        .shown("meaning", |parameter| parameter.meaning)
        .sheet();
    let _ = write!(text, "\n{}", parameters.terminal(listing_width()));
    for parameter in method.parameters {
        if let Domain::Word(words) = parameter.domain {
            let words = Sheet::of("", words.iter())
                .shown(parameter.name, |(word, _): (&str, &str)| format!("{word:?}"))
                .shown("meaning", |(_, meaning)| meaning)
                .sheet();
            let _ = write!(text, "\n{}", words.terminal(listing_width()));
        }
    }
    text
}

/// A parameter's default as an experiment file writes it.
fn default(parameter: &Parameter) -> String {
    match ParameterValue::from(parameter.default) {
        ParameterValue::Text(word) => format!("{word:?}"),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::words::Words;
    use contract::parameter::Preset;
    use contract::{Fit, FitError};

    static TREE: MethodEntry = MethodEntry {
        kind: "tree",
        summary: "a tree that is never fitted",
        source: "this test",
        parameters: &[
            Parameter::new(
                "smoothing",
                Domain::Real { least: 0.0, most: f64::INFINITY, open: false },
                Preset::Real(0.1),
                "pseudo-count of every value",
            ),
            Parameter::new(
                "root",
                Domain::Word(&Words(&[
                    ("first", (), "the first variable"),
                    ("best", (), "the best one"),
                ])),
                Preset::Text("first"),
                "where the tree begins",
            ),
        ],
        fits: &[Fit::Density(|_, _, _, _| Err(FitError::Failed("never fitted".to_owned())))],
        ..MethodEntry::PLAIN
    };

    #[test]
    fn a_method_is_described_with_every_parameter() {
        assert_eq!(
            describe(&TREE),
            "tree: a tree that is never fitted\n\
             this test\n\
             task: density\n\
             takes: 0/1 variables\n\
             \n\
             parameter  value              default  meaning\n\
             smoothing  a number from 0    0.1      pseudo-count of every value\n\
             root       a word, see below  \"first\"  where the tree begins\n\
             \n\
             root     meaning\n\"first\"  the first variable\n\"best\"   the best one\n"
        );
        assert_eq!(
            sheet(&[&TREE]).terminal(80),
            "kind  tasks    takes          what it is\n\
             tree  density  0/1 variables  a tree that is never fitted\n"
        );
    }

    #[test]
    fn programs_get_the_ranges() {
        let smoothing = &sheet(&[&TREE]).json()[0]["parameters"][0];
        assert_eq!(smoothing["name"], "smoothing");
        assert_eq!(smoothing["value"]["minimum"], 0.0);
        assert_eq!(smoothing["value"]["default"], 0.1);
        assert_eq!(smoothing["value"]["description"], "pseudo-count of every value");
    }

    #[test]
    fn an_unknown_kind_is_a_usage_error() {
        let args = Args {
            command: None,
            kind: Some("nonesuch".to_owned()),
            cache: None,
            format: Format::Text,
        };
        let global = Global { quiet: true, log: None };
        let failure = run(&args, &global).unwrap_err();
        assert_eq!(failure.exit, Exit::Usage);
        assert_eq!(failure.report.to_string(), "there is no method of kind `nonesuch`");
    }
}
