//! Minimisations that ask for sums over the examples, so that one pass over them serves several.

use std::sync::Arc;

use super::objective::{Answer, Loss, Penalty, Request, Ties};
use super::solution::Solution;
use contract::{Context, Result};
use math::newton::{Asked, Descent, Hessian, NoTerm, Stopping};

/// Rounds of clustering and learning, coarse ones included, after which the alternation ends.
const MOST_ROUNDS: usize = 200;
/// The first round learns with so many times the tolerance.
pub const COARSEST: f64 = 1e3;
/// Part of the last clustering's gain that a round may leave to gain.
const CLOSER: f64 = 0.1;

/// A minimisation under way.
pub trait Search {
    /// What it has to be told; nothing once it has ended.
    fn asks(&self) -> Option<Asked>;

    /// Where it has to be told.
    fn point(&self) -> &[f64];

    /// Tells it.
    fn told(&mut self, answer: Answer);
}

/// Serves searches until all have ended. What one finds does not depend on the others. Hessians are made when all of
/// them wait for one.
///
/// # Errors
/// If the deadline passes or the user interrupts.
pub fn serve(loss: &dyn Loss, searches: &mut [impl Search], context: &Context) -> Result<()> {
    loop {
        context.check()?;
        let gradients = searches.iter().any(|search| search.asks() == Some(Asked::Gradient));
        let now = if gradients { Asked::Gradient } else { Asked::Hessian };
        let mut asking: Vec<_> =
            searches.iter_mut().filter(|search| search.asks() == Some(now)).collect();
        if asking.is_empty() {
            return Ok(());
        }
        let requests = asking.iter().map(|search| Request { point: search.point(), asked: now });
        let answers = loss.serve(&requests.collect::<Vec<_>>(), &context.cores);
        for (search, answer) in asking.iter_mut().zip(answers) {
            search.told(answer);
        }
    }
}

/// The penalised objective; with rounds, clustered anew whenever it is learned.
pub struct Soft {
    descent: Descent<Penalty>,
    rounds: Option<Rounds>,
}

/// Algorithm 1 with soft ties: clusters the parameters, learns them with the assignment fixed and the centres at
/// the clusters' means, and so on until clustering no longer lowers the objective by more than the tolerance. A
/// round learns as closely as the gain of the last clustering makes worth while. No step raises the objective.
#[derive(Default)]
struct Rounds {
    k: usize,
    /// The tolerance that was asked for, and that of now.
    tolerance: f64,
    least: f64,
    /// Whether the last round has to be judged by its own Hessian.
    certified: bool,
    count: usize,
    settled: bool,
}

impl Soft {
    /// Learns with this penalty.
    pub fn once(penalty: Penalty, start: Vec<f64>, stopping: Stopping) -> Self {
        let descent = Descent::new(penalty, start, stopping, true);
        Self { descent, rounds: None }
    }

    /// Clusters all parameters but the first `free` into `k`, and learns. It ends once they are settled as far as
    /// [`COARSEST`] times the tolerance; [`Self::go_on`] settles them.
    pub fn tied(lambda: f64, k: usize, free: usize, start: Vec<f64>, stopping: Stopping) -> Self {
        let (ties, _) = Ties::best(&start, k, free);
        let least = COARSEST * stopping.tolerance;
        let coarsely = Stopping { tolerance: least, ..stopping };
        let descent = Descent::new(Penalty::soft(lambda, ties), start, coarsely, false);
        let Stopping { tolerance, .. } = stopping;
        Self {
            descent,
            rounds: Some(Rounds { k, tolerance, least, count: 1, ..Rounds::default() }),
        }
    }

    /// Goes on until the tolerance that it was given is reached.
    pub fn go_on(&mut self) {
        if let Some(rounds) = &mut self.rounds {
            rounds.least = rounds.tolerance;
            rounds.settled = false;
            rounds.certified = true;
            self.next_round();
        }
    }

    /// The objective where it is.
    pub fn objective(&self) -> f64 {
        self.descent.value
    }

    /// What it has found.
    pub fn solution(&self) -> Solution {
        let mut minimum = self.descent.minimum();
        let ties = self.descent.term.ties.clone();
        let parameters = std::mem::take(&mut minimum.point);
        let found = Solution::of(minimum, parameters, ties);
        match &self.rounds {
            None => found,
            Some(Rounds { count, settled, .. }) => {
                Solution { rounds: *count, converged: found.converged && *settled, ..found }
            }
        }
    }

    /// Clusters and goes on, until the descent asks or the clusters are settled.
    fn next_round(&mut self) {
        let Some(rounds) = &mut self.rounds else { return };
        while self.descent.asks().is_none() && !rounds.settled && rounds.count < MOST_ROUNDS {
            let Penalty { lambda, ties, .. } = &self.descent.term;
            let (lambda, free, point) = (*lambda, ties.free, &self.descent.point);
            let (better, spread) = Ties::best(point, rounds.k, free);
            let gain = 0.5 * lambda * (ties.spread(point) - spread);
            let stopping = self.descent.stopping;
            let settled = gain <= rounds.least && stopping.tolerance <= rounds.least;
            if settled && (!rounds.certified || self.descent.fresh) {
                rounds.settled = true;
                break;
            }
            if settled {
                let same = self.descent.term.clone();
                self.descent.go_on(same, stopping, true);
                continue;
            }
            let tolerance = (CLOSER * gain).min(stopping.tolerance).max(rounds.least);
            rounds.count += 1;
            let stopping = Stopping { tolerance, ..stopping };
            self.descent.go_on(Penalty::soft(lambda, better), stopping, false);
        }
    }
}

impl Search for Soft {
    fn asks(&self) -> Option<Asked> {
        self.descent.asks()
    }

    fn point(&self) -> &[f64] {
        self.descent.place()
    }

    fn told(&mut self, answer: Answer) {
        match answer {
            Answer::Gradient(loss, gradient) => self.descent.told(loss, &gradient),
            Answer::Hessian(hessian) => self.descent.told_hessian(hessian),
        }
        self.next_round();
    }
}

/// The loss as a function of one value for each cluster.
pub struct Hard {
    descent: Descent<NoTerm>,
    ties: Arc<Ties>,
    parameters: Vec<f64>,
}

/// The Hessian by the clusters' values.
#[derive(Debug)]
struct OfClusters {
    of_parameters: Box<dyn Hessian>,
    ties: Arc<Ties>,
    diagonal: Vec<f64>,
}

impl OfClusters {
    fn new(of_parameters: Box<dyn Hessian>, ties: Arc<Ties>) -> Self {
        let diagonal = ties.collected(of_parameters.diagonal());
        Self { of_parameters, ties, diagonal }
    }
}

impl Hessian for OfClusters {
    /// Without what parameters of one cluster share: an approximation.
    fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    fn multiply(&self, vector: &[f64], product: &mut [f64]) {
        let vector = self.ties.expanded(vector);
        let mut image = vec![0.0; vector.len()];
        self.of_parameters.multiply(&vector, &mut image);
        product.copy_from_slice(&self.ties.collected(&image));
    }
}

impl Hard {
    /// Learns the clusters' values from `values` on.
    pub fn new(ties: Ties, values: Vec<f64>, stopping: Stopping) -> Self {
        let parameters = ties.expanded(&values);
        let descent = Descent::new(NoTerm, values, stopping, true);
        Self { descent, ties: Arc::new(ties), parameters }
    }

    /// What it has found.
    pub fn solution(&self) -> Solution {
        let minimum = self.descent.minimum();
        let parameters = self.ties.expanded(&minimum.point);
        Solution::of(minimum, parameters, Ties::clone(&self.ties))
    }
}

impl Search for Hard {
    fn asks(&self) -> Option<Asked> {
        self.descent.asks()
    }

    fn point(&self) -> &[f64] {
        &self.parameters
    }

    fn told(&mut self, answer: Answer) {
        match answer {
            Answer::Gradient(loss, gradient) => {
                self.descent.told(loss, &self.ties.collected(&gradient));
            }
            Answer::Hessian(hessian) => {
                let hessian = OfClusters::new(hessian, self.ties.clone());
                self.descent.told_hessian(Box::new(hessian));
            }
        }
        let place = self.descent.place();
        for (parameter, &cluster) in self.parameters.iter_mut().zip(&self.ties.of_parameter) {
            *parameter = place[cluster as usize];
        }
    }
}
