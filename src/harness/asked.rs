//! Some trials of programs asked once more before they are sealed: in a new process of a new root, where nothing is left
//! of what a process or its files remembered of other trials.

use std::collections::BTreeMap;

use ::run::Trial;
use ::run::executor;
use ::run::outcome::Outcomes;
use ::run::plan::Path;
use base::digest::{Digest, FieldHasher};
use contract::MethodId;

use super::Error;
use super::again::Observing;
use super::checked::Checked;
use super::planned::Planned;
use super::promises::Promises;

/// Of so many trials of a method one is asked again.
const ONE_OF: usize = 20;

/// Asks the drawn paths again and compares what they give with these outcomes, by what their methods promise. False if the
/// user interrupted.
///
/// # Errors
/// If a promise is not kept.
pub(super) fn again(
    planned: &Planned<'_>,
    outcomes: &Outcomes,
    options: &executor::Options,
    observe: &Observing<'_>,
) -> Result<bool, Error> {
    // A trial that kept its limit was measured: it is asked what it says, not how fast.
    let options = &executor::Options { patient: true, ..options.clone() };
    let mut promises = Promises::new(&planned.session.experiment);
    let plan = &planned.plan;
    let drawn = drawn(planned, outcomes);
    if drawn.is_empty() {
        return Ok(true);
    }
    let observer = observe(plan, &drawn);
    for path in drawn {
        let Some(made) = planned.outcomes(&[path], options, &*observer)? else { return Ok(false) };
        for (at, again) in made {
            let trial = &plan.trials[at];
            let Some(first) = outcomes.get(&trial.key) else { continue };
            if promises.compare(trial, first, &again) {
                continue;
            }
            if let Some(what) = first.contradiction(&again) {
                let what = format!("{}: {what} is not what it was", trial.place());
                return Err(Error::Unsteady(what));
            }
        }
    }
    let mut judged = Checked::default();
    promises.judge(&mut judged);
    judged.differences.into_iter().next().map_or(Ok(true), |what| Err(Error::Unsteady(what)))
}

/// The paths that are asked again: of each program one of twenty, and at least one, as the trials' keys draw them, among
/// those that came to a value.
fn drawn<'p>(planned: &'p Planned<'_>, outcomes: &Outcomes) -> Vec<&'p Path> {
    let measured = |path: &&Path| {
        let measured = |trial: &Trial| outcomes.get(&trial.key).is_some_and(|it| it.measured());
        path.program.is_some() && planned.wants(path) && planned.plan.trials_of(path).all(measured)
    };
    let mut methods: BTreeMap<&MethodId, Vec<(Digest, &Path)>> = BTreeMap::new();
    for path in planned.plan.paths.iter().filter(measured) {
        let draw = FieldHasher::new("asked again").field(path.id.0).finish();
        let method = &planned.plan.first_of(path).setup.method;
        methods.entry(method).or_default().push((draw, path));
    }
    let some = methods.into_values().flat_map(|mut paths| {
        paths.sort_by_key(|(draw, _)| *draw);
        paths.truncate(paths.len().div_ceil(ONE_OF));
        paths
    });
    some.map(|(_, path)| path).collect()
}
