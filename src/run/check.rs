//! What the answers of a program depend on beside its trial: asked before a method promises that they are always the
//! same.

use std::mem::discriminant;
use std::sync::Arc;

use base::digest::FieldHasher;
use base::words;
use contract::{FitError, MethodId};
use program::{Answers, Determinism, Ending, HandOver, Reply, Request};
use task::Ask;

use super::examples::Examples;
use super::plan::Path;
use super::pool::{Pool, Shares};
use super::programs::{Programs, Unmeasured, request, served, unprepared};

words! {
    /// What is changed between two requests for one trial.
    pub enum Change {
        Nothing = "asked twice", "the same process, the same request";
        State = "after another trial", "the same process, after a trial with another seed";
        Process = "another process", "a process of its own, after one that had other examples";
        Order = "another order of the rows", "other places of the same rows, and other tokens";
        Threads = "another number of threads", "one thread more";
        Seed = "another seed", "a method that uses its seed answers otherwise, one that does not answers the same";
    }
}

/// What came of one change.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// What was changed.
    pub change: Change,
    /// How far the answers moved.
    pub moved: Moved,
}

/// How far answers moved.
#[derive(Debug, Clone, PartialEq)]
pub enum Moved {
    /// Not by a bit.
    Not,
    /// So many labels of so many are others.
    Labels(usize, usize),
    /// Numbers moved by at most so much.
    Numbers(f64),
    /// There were none that count.
    Failed(Unmeasured),
}

/// What was found for one trial of a method.
#[derive(Debug)]
pub struct Checked {
    /// The trial, in words.
    pub place: String,
    /// What the method promises.
    pub declared: Determinism,
    /// By change.
    pub findings: Vec<Finding>,
}

/// How far numbers may move for a promise of a tolerance; beyond, they are draws.
const ROUNDING: f64 = 1e-4;

impl Checked {
    /// The most that the method can promise of the same trial; none if it did not always answer.
    pub fn most(&self) -> Option<Determinism> {
        let mut moved = 0.0f64;
        let mut most = Determinism::Bitwise;
        // A seed makes another trial.
        for finding in self.findings.iter().filter(|finding| finding.change != Change::Seed) {
            most = match (most, &finding.moved) {
                (_, Moved::Failed(_)) => return None,
                (most, Moved::Not) => most,
                (Determinism::Bitwise | Determinism::Tolerance(_), Moved::Numbers(by))
                    if *by <= ROUNDING =>
                {
                    moved = moved.max(*by);
                    Determinism::Tolerance(moved)
                }
                _ => Determinism::Stochastic,
            };
        }
        Some(most)
    }

    /// Whether the method can promise what it does.
    pub fn holds(&self) -> bool {
        match (self.most(), self.declared) {
            (None, _) => false,
            (Some(_), Determinism::Stochastic) | (Some(Determinism::Bitwise), _) => true,
            (Some(Determinism::Tolerance(moved)), Determinism::Tolerance(most)) => moved <= most,
            _ => false,
        }
    }

    /// Whether a process remembers the trials before: alone, the method gives the same bits.
    pub fn keeps_state(&self) -> bool {
        let moved =
            |change| self.findings.iter().any(|f| f.change == change && f.moved != Moved::Not);
        moved(Change::State) && !moved(Change::Nothing) && !moved(Change::Process)
    }
}

/// A method can't be checked.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// It runs nowhere.
    #[error("the experiment has no trial of `{0}`")]
    NoTrial(MethodId),
    /// It is native.
    #[error("`{0}` is no program: its bits are our own")]
    NoProgram(MethodId),
    /// It has no answer to begin with.
    #[error(transparent)]
    Unmeasured(#[from] Unmeasured),
    /// It can't be prepared, or handed its examples.
    #[error(transparent)]
    Program(#[from] program::Error),
}

impl From<FitError> for CheckError {
    fn from(error: FitError) -> Self {
        Unmeasured::from(error).into()
    }
}

/// Asks the program of a method for its cheapest trial again and again, with a change each time.
///
/// # Errors
/// If there is no such program, or it has no answer to begin with.
pub fn check(
    pool: &Pool<'_>,
    programs: Option<&Programs>,
    method: &MethodId,
) -> Result<Checked, CheckError> {
    let plan = pool.plan;
    let of_method = |path: &&Path| plan.first_of(path).method == *method;
    let cheapest = plan.paths.iter().filter(of_method).min_by(|a, b| a.cost.total_cmp(&b.cost));
    let path = cheapest.ok_or_else(|| CheckError::NoTrial(method.clone()))?;
    let program = path.program.as_ref();
    let program = program.ok_or_else(|| CheckError::NoProgram(method.clone()))?;
    let programs = programs.ok_or_else(unprepared)?;
    let trial = plan.first_of(path);
    let divided = |path| Examples { pool, path, round: None, shares: Shares::default() }.divided();
    let data = divided(path)?;
    let handed = served(&*data)?;
    let request = request(trial, handed.asked(&Ask::default()), None);
    let write = |purpose: &str| {
        let seed = FieldHasher::new(purpose).field(trial.seed.0).finish();
        handed.hand_over(&programs.next_folder(), program, trial.key, seed).map(Arc::new)
    };
    let (first, second) = (write("one order")?, write("another order")?);
    let prepared = programs.prepared(method)?;
    let ask =
        |hand_over: &Arc<HandOver>, request: &Request| programs.ask(prepared, hand_over, request);
    let expected = ask(&first, &request)?;
    let other = Request { seed: request.seed ^ 1, ..request.clone() };
    let mut findings = Vec::new();
    let mut found = |change, reply: Result<Reply, Unmeasured>| {
        let moved = reply.map_or_else(Moved::Failed, |reply| moved(&expected, &reply));
        findings.push(Finding { change, moved });
    };
    found(Change::Nothing, ask(&first, &request));
    let seeded = ask(&first, &other);
    found(Change::State, ask(&first, &request));
    programs.end_of(&first);
    let beside = |other: &&Path| {
        let other = plan.first_of(other);
        other.setup.dataset == trial.setup.dataset
            && (other.repeat, other.fold) != (trial.repeat, trial.fold)
    };
    if let Some(path) = plan.paths.iter().filter(of_method).find(beside) {
        let (data, trial) = (divided(path)?, plan.first_of(path));
        let (folder, seed) = (programs.next_folder(), trial.seed);
        let decoy = Arc::new(served(&*data)?.hand_over(&folder, program, trial.key, seed)?);
        // What comes of it is not looked at: what it leaves behind is.
        let _ = ask(&decoy, &request);
        programs.end_of(&decoy);
    }
    found(Change::Process, ask(&first, &request));
    found(Change::Order, ask(&second, &request));
    let wider = programs.wider(program)?;
    let answered = programs.ask(&wider, &first, &request);
    found(Change::Threads, answered);
    found(Change::Seed, seeded);
    Ok(Checked { place: trial.place(), declared: program.determinism, findings })
}

fn bad(message: String) -> Moved {
    Moved::Failed(Unmeasured::Program { ending: Ending::BadAnswer, message })
}

/// All numbers of answers, row by row.
fn numbers(answers: &Answers) -> Vec<f64> {
    match answers {
        Answers::Labels(labels) => labels.iter().map(|&label| label.into()).collect(),
        Answers::Probabilities(table) | Answers::Scores(table) => table.iter().copied().collect(),
        Answers::Values(values) | Answers::LogLikelihoods(values) => values.clone(),
    }
}

/// How far the answers of two replies to the same batches lie apart, at most.
fn moved(expected: &Reply, reply: &Reply) -> Moved {
    let (mut labels, mut rows, mut most) = (0, 0, 0.0f64);
    let mut same = true;
    for (batch, one) in &expected.answers {
        let Some(other) = reply.answers.get(batch) else {
            return bad(format!("no answer to `{}`", batch.word()));
        };
        if discriminant(one) != discriminant(other) {
            return bad("answers of another kind".to_owned());
        }
        let pairs: Vec<(f64, f64)> = numbers(one).into_iter().zip(numbers(other)).collect();
        let others = pairs.iter().filter(|(a, b)| a.to_bits() != b.to_bits()).count();
        same &= others == 0;
        if let Answers::Labels(own) = one {
            labels += others;
            rows += own.len();
        } else {
            most = pairs.iter().map(|(a, b)| (a - b).abs()).fold(most, f64::max);
        }
    }
    match same {
        true => Moved::Not,
        false if labels > 0 => Moved::Labels(labels, rows),
        false => Moved::Numbers(most),
    }
}
