//! What is wrong with an experiment file: every error with the file, the line, the offending text,
//! what was expected and what to do.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use miette::{Diagnostic, NamedSource, SourceSpan};
use thiserror::Error;

use super::tree::Span;

/// Everything that is wrong with an experiment file and the files beside it that it names.
#[derive(Debug, Clone, Error, Diagnostic)]
#[error("{} in {}", count(.errors), .path.display())]
pub struct SpecErrors {
    /// The experiment file.
    pub path: PathBuf,
    /// Its errors in the order of the file; not empty.
    #[related]
    pub errors: Vec<SpecError>,
}

fn count(errors: &[SpecError]) -> String {
    match errors.len() {
        1 => "1 error".to_owned(),
        n => format!("{n} errors"),
    }
}

/// One error.
#[derive(Clone, Error, Diagnostic)]
#[error("{message}")]
pub struct SpecError {
    message: String,
    #[source_code]
    file: Option<Arc<NamedSource<String>>>,
    #[label("{label}")]
    span: Option<SourceSpan>,
    label: String,
    #[help]
    help: Option<String>,
}

impl SpecError {
    /// An error that concerns no line: the file as a whole.
    pub(super) fn whole_file(message: impl Into<String>) -> Self {
        Self { message: message.into(), file: None, span: None, label: String::new(), help: None }
    }

    /// Adds what to do.
    pub(super) fn help(&mut self, help: impl Into<String>) -> &mut Self {
        self.help = Some(help.into());
        self
    }

    /// Adds what to do, if there is something to say.
    pub(super) fn maybe_help(&mut self, help: Option<String>) -> &mut Self {
        self.help = help;
        self
    }

    /// What orders errors, and what two reports of the same error share.
    fn identity(&self) -> (Option<&str>, Option<usize>, &str, &str) {
        let file = self.file.as_ref().map(|file| file.name());
        (file, self.span.map(|span| span.offset()), &self.message, &self.label)
    }
}

impl fmt::Debug for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.identity(), self.help.as_deref().unwrap_or(""))
    }
}

/// Collects the errors of one file.
pub(super) struct Faults {
    file: Arc<NamedSource<String>>,
    errors: Vec<SpecError>,
}

impl Faults {
    /// No errors yet, in the file at `path` with this text.
    pub fn new(path: &Path, text: &str) -> Self {
        let file = NamedSource::new(path.display().to_string(), text.to_owned());
        Self { file: Arc::new(file), errors: Vec::new() }
    }

    /// Adds an error at `span`: what is wrong, and the words beside the underlined text.
    pub fn at(
        &mut self,
        span: &Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> &mut SpecError {
        self.add(SpecError {
            message: message.into(),
            file: Some(Arc::clone(&self.file)),
            span: Some(span.clone().into()),
            label: label.into(),
            help: None,
        })
    }

    /// Adds an error.
    pub fn add(&mut self, error: SpecError) -> &mut SpecError {
        let last = self.errors.len();
        self.errors.push(error);
        &mut self.errors[last]
    }

    /// Adds the errors of another file.
    pub fn append(&mut self, other: Self) {
        self.errors.extend(other.errors);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// All errors, each once, by file and place.
    pub fn into_errors(self, path: &Path) -> SpecErrors {
        let mut errors = self.errors;
        let main = self.file.name().to_owned();
        errors.sort_by(|a, b| {
            let key = |e: &SpecError| {
                (
                    e.file.as_ref().is_some_and(|file| file.name() != main),
                    e.identity().0.map(str::to_owned),
                    e.identity().1,
                )
            };
            key(a).cmp(&key(b))
        });
        let mut distinct: Vec<SpecError> = Vec::new();
        for error in errors {
            if !distinct.iter().any(|seen| seen.identity() == error.identity()) {
                distinct.push(error);
            }
        }
        SpecErrors { path: path.to_owned(), errors: distinct }
    }
}

/// The candidate that `name` is most likely a misspelling of, if one is near.
pub(super) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let name = name.to_lowercase();
    let allowed = (name.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| {
            let lower = candidate.to_lowercase();
            let continues =
                name.len() >= 3 && (lower.starts_with(&name) || name.starts_with(&lower));
            let distance = strsim::osa_distance(&name, &lower);
            (if continues { distance.min(1) } else { distance }, candidate)
        })
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// "did you mean …", or all candidates where none is near.
pub(super) fn suggestion(name: &str, candidates: &[&str]) -> Option<String> {
    const SHOWN: usize = 24;
    if let Some(nearest) = nearest(name, candidates.iter().copied()) {
        return Some(format!("did you mean `{nearest}`?"));
    }
    let shown: Vec<String> =
        candidates.iter().take(SHOWN).map(|candidate| format!("`{candidate}`")).collect();
    match candidates.len() {
        0 => None,
        n if n <= SHOWN => Some(format!("there is {}", shown.join(", "))),
        n => Some(format!("there is {} and {} more", shown.join(", "), n - SHOWN)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_near() {
        let names = ["components", "smoothing", "restarts", "tolerance"];
        assert_eq!(nearest("smothing", names), Some("smoothing"));
        assert_eq!(nearest("Restart", names), Some("restarts"));
        assert_eq!(nearest("tol", names), Some("tolerance"));
        assert_eq!(nearest("degree", names), None);
        assert_eq!(nearest("NB", ["CL", "NBX"]), Some("NBX"));
    }
}
