//! Which commands make results again.

use base::layout::SPEC;
use page::Commands;
use seal::Manifest;
use spec::{Experiment, Overlay};

use super::built_in;

/// The commands for results that lie below `root`. Of an experiment that is built in, the file of the checkout is named;
/// of others the sealed one, which whoever has the results has too.
pub fn commands(experiment: &Experiment, manifest: &Manifest, root: &str) -> Commands {
    let profile = experiment.profile().map(str::to_owned);
    let id = experiment.id.split('@').next().unwrap_or_default();
    let folder = format!("{root}/{}", experiment.id);
    let path = built_in::path(id);
    let file = match built_in::file(&path) {
        Some(_) => format!("experiments/{path}"),
        None => format!("{folder}/{SPEC}"),
    };
    let set = experiment.source.overlay.iter().flat_map(Overlay::settings).collect();
    Commands { file, folder, profile, set, choices: manifest.choices }
}
