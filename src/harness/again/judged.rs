//! What was executed again beside what is sealed, trial by trial: promises of less than the same bits.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::digest::Digest;
use program::Determinism;
use run::outcome::{Aspect, Outcomes};
use run::{Outcome, Record, Trial};
use spec::MethodSpec;
use task::metrics::OPTIMISM;

use super::Sealed;
use super::executed::Made;
use crate::checked::Checked;
use crate::promises::Promises;

/// The outcomes that outputs are made of: those that were made, and the sealed ones of all other trials, and of methods
/// that promise less than the same bits.
pub(super) fn outcomes(sealed: &Sealed<'_>, made: Made, found: &mut Checked) -> Outcomes {
    let planned = &sealed.planned;
    let experiment = &planned.session.experiment;
    let mut promises = Promises::new(experiment);
    let trials: BTreeMap<Digest, &Trial> =
        planned.plan.trials.iter().map(|trial| (trial.key, trial)).collect();
    let mut outcomes = sealed.outcomes.clone();
    for (key, mut outcome) in made {
        // What promises less than its bits is compared with what is sealed, and that stays.
        if let (Some(trial), Some(before)) = (trials.get(&key), outcomes.get(&key))
            && promises.compare(trial, before, &outcome)
        {
            found.differences.extend(one_sided(sealed, trial, before, outcome));
            continue;
        }
        // Seconds never come out again.
        outcome.times = outcomes.get(&key).map(|sealed| sealed.times.clone()).unwrap_or_default();
        outcomes.insert(key, Arc::new(outcome));
    }
    found.believed.extend(experiment.methods.iter().flat_map(unverifiable));
    promises.judge(found);
    outcomes
}

/// What a trial was sealed with and does not give again, or gives again and was not sealed with, in sentences.
fn one_sided(sealed: &Sealed<'_>, trial: &Trial, before: &Outcome, again: Outcome) -> Vec<String> {
    if before.status() != again.status() {
        return Vec::new();
    }
    let (place, parts, now) = (trial.place(), before.parts(), again.parts());
    let selected = sealed.selected.contains(&trial.key);
    // As it would be sealed.
    let mut again = Record { trial: trial.clone(), outcome: Some(Arc::new(again)), selected };
    sealed.planned.needs.project(&mut again);
    let asked = again.outcome.map_or_else(Default::default, |outcome| outcome.parts());
    // That is of the grid, and made anew from the values of its points.
    let of_trial = |what: &&Aspect| **what != Aspect::Metric(&OPTIMISM);
    let gone = parts.difference(&now).filter(of_trial);
    let gone = gone.map(|what| format!("{place}: {what} is sealed, and does not come out again"));
    let new = asked.difference(&parts);
    let new = new.map(|what| format!("{place}: {what} comes out again, and is not sealed"));
    gone.chain(new).collect()
}

/// What is said of trials for people alone.
const IN_WORDS: &str = "why its trials failed or lack values, in words";

/// What of a method's results no execution can check, in sentences.
fn unverifiable(method: &MethodSpec) -> Vec<String> {
    let MethodSpec { id, program: Some(program), .. } = method else { return Vec::new() };
    let mut found = Vec::new();
    let paths = program.readable.iter().chain(&program.devices);
    let paths: Vec<String> = paths.map(|path| path.display().to_string()).collect();
    if !paths.is_empty() {
        found.push(format!("{id}: it reads {}, which is not sealed", paths.join(", ")));
    }
    found.extend(match program.determinism {
        Determinism::Bitwise => None,
        Determinism::Tolerance(_) => Some(format!("{id}: {IN_WORDS}")),
        Determinism::Stochastic => Some(format!(
            "{id}: values of single test examples, predictions, pictures, how values spread within a trial, \
             {IN_WORDS}, and single trials among draws that show no shift"
        )),
    });
    found
}
