//! What was executed again beside what is sealed, trial by trial: promises of less than the same bits.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::digest::Digest;
use program::Determinism;
use run::Trial;
use run::outcome::Outcomes;
use spec::MethodSpec;

use super::executed::Made;
use super::{Amount, Sealed};
use crate::checked::Checked;
use crate::promises::Promises;

/// The outcomes that outputs are made of: those that were made, and the sealed ones of all other trials, and of methods
/// that promise less than the same bits.
pub(super) fn outcomes(
    sealed: &Sealed<'_>,
    made: Made,
    amount: Amount,
    found: &mut Checked,
) -> Outcomes {
    let experiment = &sealed.planned.session.experiment;
    let mut promises = Promises::new(experiment);
    let trials: BTreeMap<Digest, &Trial> =
        sealed.planned.plan.trials.iter().map(|trial| (trial.key, trial)).collect();
    let mut outcomes = sealed.outcomes.clone();
    for (key, mut outcome) in made {
        // What promises less than its bits is compared with what is sealed, and that stays.
        if let (Some(trial), Some(sealed)) = (trials.get(&key), outcomes.get(&key))
            && promises.compare(trial, sealed, &outcome)
        {
            continue;
        }
        // Seconds never come out again.
        outcome.times = outcomes.get(&key).map(|sealed| sealed.times.clone()).unwrap_or_default();
        outcomes.insert(key, Arc::new(outcome));
    }
    found.believed.extend(experiment.methods.iter().flat_map(unverifiable));
    let promises = promises.judge();
    found.differences.extend(promises.differences);
    found.kept.extend(promises.kept);
    found.unchecked.extend(promises.refused);
    match amount {
        Amount::All => found.unchecked.extend(promises.unchecked),
        Amount::AtMost(..) => found.believed.extend(promises.unchecked),
    }
    outcomes
}

/// What of a method's results no execution can check, in sentences.
fn unverifiable(method: &MethodSpec) -> Vec<String> {
    let MethodSpec { id, program: Some(program), .. } = method else { return Vec::new() };
    let mut found = Vec::new();
    let paths = program.readable.iter().chain(&program.devices);
    let paths: Vec<String> = paths.map(|path| path.display().to_string()).collect();
    if !paths.is_empty() {
        found.push(format!("{id}: it reads {}, which is not sealed", paths.join(", ")));
    }
    if program.determinism == Determinism::Stochastic {
        found.push(format!(
            "{id}: values of single test examples, and single trials among draws that show no shift"
        ));
    }
    found
}
