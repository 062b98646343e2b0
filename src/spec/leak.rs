//! The leak check of an experiment: an experiment of its own, derived from the user's.
//!
//! Each part becomes two: as the file has it, but once; and with labels that are dealt anew to the examples in each
//! repeat, before they are divided; and with labels that are drawn once. What came of them is judged by the report.

use ::task::chance::{Chance, MAJORITY_SHARE};
use ::task::metrics::TEST_EXAMPLES;
use ::task::moved::MOVED_ANSWERS;
use ::task::overlap::{
    AGREEING, AGREEMENT, BETWEEN, CLOSE, COPIES, COPIES_ALIKE, COPIES_BY_CHANCE, COPIES_OF_NUMBERS,
    EARLIER, GROUPS, IN_FILE, NEAR_BY_CHANCE, NEAR_COPIES, REPEATS, SHARED_GROUPS,
};
use contract::{MethodId, PartId};
use data::split::SplitPlan;
use document::{Faults, ReadTable as _, Section as _, Table, complete};

use super::catalogue::Catalogue;
use super::design::{LabelsMet, MethodSpec, Part};
use super::experiment::Experiment;
use super::foreseen::key_of;
use super::leak_check::{CheckedPart, LeakCheck, LeakKeys};
use super::profile::LEAK;
use super::scope::Named;

/// The base of a profile's name, and whether it is its leak check: `leak`, or `smoke@leak`.
pub(crate) fn of_profile(profile: Option<&str>) -> (Option<&str>, bool) {
    match profile {
        Some(LEAK) => (None, true),
        Some(name) => match name.strip_suffix("@leak") {
            Some(base) => (Some(base), true),
            None => (Some(name), false),
        },
        None => (None, false),
    }
}

/// What the file says of its leak check.
pub(crate) fn keys(root: &Table, scope: &mut Named<'_>) -> Option<LeakKeys> {
    if let Some(table) = root.table(LEAK) {
        return LeakKeys::read_table(table, scope);
    }
    let mut defaults = Table { entries: Vec::new(), span: 0..0 };
    complete(&mut defaults, &LeakKeys::keys(), &[], LEAK, scope.faults);
    LeakKeys::read_table(&defaults, scope)
}

/// The leak check of an experiment; none, with an error, if nothing in it can be checked.
pub(crate) fn derived(
    of: Experiment,
    keys: LeakKeys,
    root: &Table,
    faults: &mut Faults,
) -> Option<Experiment> {
    let methods: Vec<MethodSpec> =
        of.methods.iter().filter(|method| !method.published_only()).map(unswept).collect();
    let mut check = LeakCheck { keys, parts: Vec::new(), unchecked: Vec::new() };
    let mut parts = Vec::new();
    for part in &of.parts {
        let Some(chance) = part.task.chance else {
            let why = format!("a {} task has no labels to permute", part.task.word);
            check.unchecked.push((part.label.clone(), why));
            continue;
        };
        let (of_part, given, permuted) = checked(part, chance, check.keys.permutations, &methods);
        check.parts.push(of_part);
        parts.push(given);
        parts.extend(permuted);
    }
    if let (true, Some(part)) = (parts.is_empty(), of.parts.first()) {
        refuse(part, of.known, root, faults);
        return None;
    }
    Some(Experiment {
        id: format!("{}@{LEAK}", of.id),
        title: format!("{}: does anything leak?", of.title),
        exclusive: false,
        parts,
        methods,
        universes: None,
        tests: Vec::new(),
        tables: Vec::new(),
        figures: Vec::new(),
        claims: Vec::new(),
        differences: Vec::new(),
        leak: Some(check),
        ..of
    })
}

/// How a part is checked: once as it is given, and with labels that are dealt anew, unless there is one test example only.
fn checked(
    part: &Part,
    chance: Chance,
    repeats: usize,
    methods: &[MethodSpec],
) -> (CheckedPart, Part, Vec<Part>) {
    let named = |suffix: &str| match part.id.as_str() {
        "" => PartId::from(suffix),
        id => format!("{id}@{suffix}").into(),
    };
    let runs = |id: &&MethodId| methods.iter().any(|method| method.id == **id);
    let mut given = Part {
        id: named("given"),
        methods: part.methods.iter().filter(runs).cloned().collect(),
        split: part.split.once(),
        repeats: 1,
        metrics: vec![chance.score, chance.by_chance, &MOVED_ANSWERS],
        keeps_predictions: false,
        ..part.clone()
    };
    let id = named("permuted");
    let permuted = Part { id, repeats, labels: LabelsMet::Permuted, ..given.clone() };
    let mut drawn = Part { id: named("drawn"), labels: LabelsMet::Drawn, ..given.clone() };
    let counted = [&TEST_EXAMPLES, chance.hits, &MAJORITY_SHARE];
    drawn.metrics.extend(counted.into_iter().filter(|one| !given.metrics.contains(one)));
    given.metrics.extend([&COPIES, &COPIES_ALIKE, &COPIES_OF_NUMBERS, &GROUPS, &SHARED_GROUPS]);
    given.metrics.extend([&AGREEMENT, &AGREEING, &CLOSE, &BETWEEN, &REPEATS, &IN_FILE, &EARLIER]);
    let divided = !part.split.by_chance();
    if divided {
        given.metrics.extend([&COPIES_BY_CHANCE, &NEAR_COPIES, &NEAR_BY_CHANCE]);
    }
    let permuted = match part.split {
        SplitPlan::LeaveOneOut => {
            Err("of one test example there is one order, so its label is never by chance")
        }
        _ => Ok(permuted),
    };
    let drawn = permuted.is_ok().then_some(drawn);
    let of_part = CheckedPart {
        label: part.label.clone(),
        given: given.id.clone(),
        permuted: permuted.as_ref().map(|permuted| permuted.id.clone()).map_err(|why| *why),
        drawn: drawn.as_ref().map(|drawn| drawn.id.clone()),
        chance,
        divided,
    };
    (of_part, given, permuted.into_iter().chain(drawn).collect())
}

/// A method at the first point of its sweep.
fn unswept(method: &MethodSpec) -> MethodSpec {
    let mut method = method.clone();
    for axis in std::mem::take(&mut method.sweep) {
        method.parameters.set(&axis.name, axis.values[0].clone());
    }
    method
}

fn refuse(part: &Part, known: &Catalogue, root: &Table, faults: &mut Faults) {
    let word = part.task.word;
    let message = format!("a {word} task can't be checked for leaks");
    let span = key_of(root, part, "kind").map_or(0..0, |kind| kind.span.clone());
    let checked = known.tasks.iter().filter(|task| task.chance.is_some());
    let checked: Vec<&str> = checked.map(|task| task.word).collect();
    faults
        .at(&span, message, "it has no labels to permute")
        .help(format!("name an experiment with a part that does {}", checked.join(" or ")));
}
