//! Which commands make results again.

use base::layout::SPEC;
use page::Commands;
use seal::Manifest;
use spec::Experiment;

use super::built_in;

/// The commands for results that lie below `root`. Who has the results has their experiment file too; but programs
/// lie beside the file that was run, so of experiments that have some that one is named.
pub fn commands(experiment: &Experiment, manifest: &Manifest, root: &str) -> Commands {
    let profile = experiment.profile().map(str::to_owned);
    let id = experiment.id.split('@').next().unwrap_or_default();
    let folder = format!("{root}/{}", experiment.id);
    let programs = experiment.methods.iter().any(|method| method.program.is_some());
    let file = match programs {
        true => format!("experiments/{}", built_in::path(id)),
        false => format!("{folder}/{SPEC}"),
    };
    Commands { file, folder, profile, choices: manifest.choices }
}
