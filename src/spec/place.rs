//! Where the file of an experiment names what turns out wrong once its data is there.

use document::{DocumentError, DocumentErrors, Faults, Node, Span};

use super::design::SourceFile;
use super::experiment::Experiment;
use super::overlay;

/// The error of a dataset that does not suit an experiment, where its file names it.
pub fn at_dataset(
    experiment: &Experiment,
    dataset: &str,
    message: String,
    help: Option<String>,
) -> DocumentErrors {
    let SourceFile { path, text, overlay } = &experiment.source;
    let file = document::parse(text, &mut Faults::new("", text));
    let set = overlay.as_ref().and_then(|overlay| overlay.read(text.len()).ok());
    let roots = set.iter().chain([&file]);
    let tables = roots.flat_map(|root| root.tables("part").chain(root.table("task")));
    let listed = tables.filter_map(|table| table.get("datasets")).flat_map(Node::items);
    if let Some(named) = { listed }.find(|node| node.text() == Some(dataset)) {
        return at(experiment, &named.span, message, "can't be used so", help);
    }
    let mut faults = Faults::new(path.display(), text);
    faults.add(DocumentError::whole_file(message)).maybe_help(help);
    faults.into_errors(path.display())
}

/// The error of a key that does not suit the data, at its place in the file of an experiment.
pub fn at(
    experiment: &Experiment,
    span: &Span,
    message: String,
    label: &str,
    help: Option<String>,
) -> DocumentErrors {
    let SourceFile { path, text, overlay } = &experiment.source;
    let mut faults = overlay::faults(path.display(), text, overlay.as_ref());
    faults.at(span, message, label).maybe_help(help);
    faults.into_errors(path.display())
}
