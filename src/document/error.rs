//! What is wrong with a document: every error with the file, the line, the offending text, what was
//! expected and what to do.

use std::fmt;
use std::sync::Arc;

use miette::{Diagnostic, SourceSpan};
use thiserror::Error;

use super::excerpt::Source;
use super::name::suggestion;
use super::tree::{Entry, Node, Span, Table};
use base::printable::{masked, printable};
use base::text::counted;
use contract::Value;

/// Everything that is wrong with a document and the files beside it that it names.
#[derive(Debug, Clone, Error, Diagnostic)]
#[error("{} in {document}", count(.errors))]
pub struct DocumentErrors {
    /// What the document is called.
    pub document: String,
    /// Its errors in the order of its text; not empty.
    #[related]
    pub errors: Vec<DocumentError>,
}

fn count(errors: &[DocumentError]) -> String {
    match errors.len() {
        n if n > MOST_SHOWN => format!("more than {MOST_SHOWN} errors"),
        n => counted(n, "error"),
    }
}

/// One error.
#[derive(Clone, Error, Diagnostic)]
#[error("{message}")]
pub struct DocumentError {
    message: String,
    #[source_code]
    file: Option<Arc<Source>>,
    #[label("{label}")]
    span: Option<SourceSpan>,
    label: String,
    #[help]
    help: Option<String>,
}

impl DocumentError {
    /// An error that concerns no line: the file as a whole.
    pub fn whole_file(message: impl Into<String>) -> Self {
        let message = shown(message);
        Self { message, file: None, span: None, label: String::new(), help: None }
    }

    /// Adds what to do.
    pub fn help(&mut self, help: impl Into<String>) -> &mut Self {
        self.help = Some(shown(help));
        self
    }

    /// Adds what to do, if there is something to say.
    pub fn maybe_help(&mut self, help: Option<String>) -> &mut Self {
        self.help = help.map(shown);
        self
    }

    /// What orders errors, and what two reports of the same error share.
    fn identity(&self) -> (Option<&str>, Option<usize>, &str, &str) {
        let file = self.file.as_ref().map(|file| file.name.as_str());
        (file, self.span.map(|span| span.offset()), &self.message, &self.label)
    }
}

impl fmt::Debug for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.identity(), self.help.as_deref().unwrap_or(""))
    }
}

fn shown(text: impl Into<String>) -> String {
    printable(&text.into()).into_owned()
}

/// How many errors of a document are shown; the others are counted.
const MOST_SHOWN: usize = 100;

/// Collects the errors of one file.
#[derive(Debug)]
pub struct Faults {
    file: Arc<Source>,
    /// A text that stands behind that of the file, and the byte where it begins.
    behind: Option<(usize, Arc<Source>)>,
    errors: Vec<DocumentError>,
}

impl Faults {
    /// No errors yet, in the file of this name and text. Hidden characters of both are masked where they
    /// are shown.
    pub fn new(name: impl ToString, text: &str) -> Self {
        let file = Source { name: shown(name.to_string()), text: masked(text) };
        Self { file: Arc::new(file), behind: None, errors: Vec::new() }
    }

    /// With a text of another name behind that of the file: places from its first byte on are of it.
    #[must_use]
    pub fn with_behind(self, start: usize, name: impl ToString, text: &str) -> Self {
        let behind = Source { name: shown(name.to_string()), text: masked(text) };
        Self { behind: Some((start, Arc::new(behind))), ..self }
    }

    /// Adds an error at `span`: what is wrong, and the words beside the underlined text.
    pub fn at(
        &mut self,
        span: &Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> &mut DocumentError {
        let (file, span) = match &self.behind {
            Some((start, behind)) if span.start >= *start => {
                (behind, span.start - start..span.end - start)
            }
            _ => (&self.file, span.clone()),
        };
        let span = file.shown(span);
        self.add(DocumentError {
            message: shown(message),
            file: Some(Arc::clone(file)),
            span: Some(span.into()),
            label: shown(label),
            help: None,
        })
    }

    /// Adds that `heading`, which is `table`, has not the key.
    pub fn missing(&mut self, table: &Table, key: &str, heading: &str) -> &mut DocumentError {
        let message = format!("{heading} lacks `{key}`");
        self.at(&table.span, message, format!("`{key}` is missing here"))
    }

    /// Adds that `heading` has no such key; `names` are those that it can have.
    pub fn unknown_key(&mut self, entry: &Entry, heading: &str, names: &[&str]) {
        self.at(&entry.key_span, format!("{heading} has no key `{}`", entry.key), "unknown key")
            .maybe_help(suggestion(&entry.key, names));
    }

    /// Adds that there is no `noun` of this name, which stands at `span`; `names` are those that
    /// there are.
    pub fn unknown(
        &mut self,
        noun: &str,
        name: &str,
        span: &Span,
        names: &[&str],
    ) -> &mut DocumentError {
        self.at(span, format!("there is no {noun} `{name}`"), format!("unknown {noun}"))
            .maybe_help(suggestion(name, names))
    }

    /// Adds that the value of `key` is of the wrong type or out of range.
    pub fn wrong(&mut self, key: &str, node: &Node, expected: &str) -> &mut DocumentError {
        let found = match node.scalar() {
            Some(Value::Text(text)) => format!("{text:?}"),
            // With its decimals: 2.0 is no whole number.
            Some(Value::Real(real)) => format!("{real:?}"),
            Some(value) => format!("{value}"),
            None => node.content.noun().to_owned(),
        };
        self.at(&node.span, format!("`{key}` can't be {found}"), format!("expected {expected}"))
    }

    /// Adds that of so many of `what` that the file has another number was read without any error.
    pub fn vanished(&mut self, what: &str, written: usize, read: usize) {
        if written != read {
            let message = format!(
                "the file has {written} {what}, of which reprise read {read} without saying why"
            );
            let help = "this is a mistake in reprise, not in the file: please report it";
            self.add(DocumentError::whole_file(message)).help(help);
        }
    }

    /// Adds an error.
    pub fn add(&mut self, error: DocumentError) -> &mut DocumentError {
        let last = self.errors.len();
        self.errors.push(error);
        &mut self.errors[last]
    }

    /// Adds the errors of another file.
    pub fn append(&mut self, other: Self) {
        self.errors.extend(other.errors);
    }

    /// Adds the errors of another file, or of another look at this one, that have a place.
    pub fn append_placed(&mut self, other: Self) {
        let placed = |error: &DocumentError| error.span.is_some_and(|span| !span.is_empty());
        self.errors.extend(other.errors.into_iter().filter(placed));
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.errors.len()
    }

    /// All errors, each once, by file and place; `document` is what the whole is called.
    pub fn into_errors(self, document: impl ToString) -> DocumentErrors {
        let mut errors = self.errors;
        let main = self.file.name.clone();
        errors.sort_by(|a, b| {
            let (file_a, at_a, ..) = a.identity();
            let (file_b, at_b, ..) = b.identity();
            let beside = |file: Option<&str>| file.is_some_and(|file| file != main);
            (beside(file_a), file_a, at_a).cmp(&(beside(file_b), file_b, at_b))
        });
        let mut distinct: Vec<DocumentError> = Vec::new();
        for error in errors {
            let here = |seen: &&DocumentError| {
                (seen.identity().0, seen.identity().1) == (error.identity().0, error.identity().1)
            };
            let mut of_place = distinct.iter().rev().take_while(here);
            if !of_place.any(|seen| seen.identity() == error.identity()) {
                distinct.push(error);
            }
        }
        let more = distinct.len().saturating_sub(MOST_SHOWN);
        if more > 0 {
            distinct.truncate(MOST_SHOWN);
            distinct.push(DocumentError::whole_file(format!("{more} more are not shown")));
        }
        DocumentErrors { document: shown(document.to_string()), errors: distinct }
    }
}
