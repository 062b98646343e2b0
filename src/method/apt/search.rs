//! Minimisations that ask for sums over the examples, so that one pass over them serves several.

use super::objective::{LEAST_CURVATURE, Loss, Penalty, Request, Ties};
use super::solution::Solution;
use contract::{Context, FitError};
use math::lbfgs::{Asked, Descent, NoTerm, Stopping};

/// Rounds of clustering and learning after which the alternation ends.
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

    /// Tells the loss with its derivatives, or the diagonal of its Hessian.
    fn told(&mut self, asked: Asked, loss: f64, derivatives: &mut [f64]);
}

/// Serves searches until all have ended. What one finds does not depend on the others.
///
/// # Errors
/// If the deadline passes or the user interrupts.
pub fn serve(
    loss: &dyn Loss,
    searches: &mut [impl Search],
    context: &Context,
) -> Result<(), FitError> {
    let m = loss.network().parameters();
    let mut derivatives = vec![vec![0.0; m]; searches.len()];
    loop {
        context.check()?;
        let pairs = searches.iter().zip(&mut derivatives);
        let mut requests: Vec<Request<'_>> = pairs
            .filter_map(|(search, derivatives)| {
                let (asked, point) = (search.asks()?, search.point());
                Some(Request { point, asked, derivatives, loss: 0.0 })
            })
            .collect();
        if requests.is_empty() {
            return Ok(());
        }
        loss.serve(&mut requests, &context.cores);
        let losses: Vec<f64> = requests.into_iter().map(|request| request.loss).collect();
        let asking = searches.iter_mut().zip(&mut derivatives);
        let asking = asking.filter_map(|(search, told)| Some((search.asks()?, search, told)));
        for ((asked, search, derivatives), loss) in asking.zip(losses) {
            search.told(asked, loss, derivatives);
        }
    }
}

fn at_least_curved(diagonal: &mut [f64]) {
    diagonal.iter_mut().for_each(|value| *value = value.max(LEAST_CURVATURE));
}

/// The penalised objective; with [`Rounds`], clustered anew whenever it is learned.
pub struct Soft {
    descent: Descent<Penalty>,
    rounds: Option<Rounds>,
    iterations: usize,
}

/// Algorithm 1 with soft ties: clusters the parameters, learns them with the assignment fixed and the centres at
/// the clusters' means, and so on until clustering no longer lowers the objective by more than the tolerance. A
/// round learns as closely as the gain of the last clustering makes worth while. No step raises the objective.
struct Rounds {
    k: usize,
    least: f64,
    count: usize,
    settled: bool,
}

impl Soft {
    /// Learns with this penalty.
    pub fn once(penalty: Penalty, start: Vec<f64>, stopping: Stopping) -> Self {
        Self { descent: Descent::new(penalty, start, stopping), rounds: None, iterations: 0 }
    }

    /// Clusters all parameters but the first `free` into `k`, and learns. It ends once they are settled as far as
    /// [`COARSEST`] times the tolerance; [`Self::go_on`] settles them.
    pub fn tied(lambda: f64, k: usize, free: usize, start: Vec<f64>, stopping: Stopping) -> Self {
        let (ties, _) = Ties::best(&start, k, free);
        let least = COARSEST * stopping.tolerance;
        let descent = Descent::new(
            Penalty::soft(lambda, ties),
            start,
            Stopping { tolerance: least, ..stopping },
        );
        Self { descent, rounds: Some(Rounds { k, least, count: 1, settled: false }), iterations: 0 }
    }

    /// Goes on until the tolerance that it was given is reached.
    pub fn go_on(&mut self) {
        if let Some(rounds) = &mut self.rounds {
            rounds.least /= COARSEST;
            rounds.settled = false;
            self.next_round();
        }
    }

    /// The objective where it is.
    pub fn objective(&self) -> f64 {
        self.descent.minimum().value
    }

    /// What it has found.
    pub fn solution(&self) -> Solution {
        let mut minimum = self.descent.minimum();
        minimum.iterations += self.iterations;
        let ties = self.descent.term().ties.clone();
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
            let Penalty { lambda, ties, .. } = self.descent.term();
            let (lambda, free) = (*lambda, ties.free);
            let minimum = self.descent.minimum();
            let (better, spread) = Ties::best(&minimum.point, rounds.k, free);
            let gain = 0.5 * lambda * (ties.spread(&minimum.point) - spread);
            let stopping = self.descent.stopping();
            if gain <= rounds.least && stopping.tolerance <= rounds.least {
                rounds.settled = true;
                break;
            }
            let tolerance = (CLOSER * gain).min(stopping.tolerance).max(rounds.least);
            self.iterations += minimum.iterations;
            rounds.count += 1;
            self.descent.go_on(Penalty::soft(lambda, better), Stopping { tolerance, ..stopping });
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

    fn told(&mut self, asked: Asked, loss: f64, derivatives: &mut [f64]) {
        match asked {
            Asked::Gradient => self.descent.told(loss, derivatives),
            Asked::Curvature => {
                at_least_curved(derivatives);
                self.descent.told_curvature(derivatives);
            }
        }
        self.next_round();
    }
}

/// The loss as a function of one value for each cluster.
pub struct Hard {
    descent: Descent<NoTerm>,
    ties: Ties,
    parameters: Vec<f64>,
    sums: Vec<f64>,
}

impl Hard {
    /// Learns the clusters' values from `values` on.
    pub fn new(ties: Ties, values: Vec<f64>, stopping: Stopping) -> Self {
        let (parameters, sums) = (ties.expanded(&values), values.clone());
        Self { descent: Descent::new(NoTerm, values, stopping), ties, parameters, sums }
    }

    /// What it has found.
    pub fn solution(&self) -> Solution {
        let minimum = self.descent.minimum();
        let parameters = self.ties.expanded(&minimum.point);
        Solution::of(minimum, parameters, self.ties.clone())
    }
}

impl Search for Hard {
    fn asks(&self) -> Option<Asked> {
        self.descent.asks()
    }

    fn point(&self) -> &[f64] {
        &self.parameters
    }

    fn told(&mut self, asked: Asked, loss: f64, derivatives: &mut [f64]) {
        self.ties.collect(derivatives, &mut self.sums);
        match asked {
            Asked::Gradient => self.descent.told(loss, &self.sums),
            Asked::Curvature => {
                at_least_curved(&mut self.sums);
                self.descent.told_curvature(&self.sums);
            }
        }
        let place = self.descent.place();
        for (parameter, &cluster) in self.parameters.iter_mut().zip(&self.ties.of_parameter) {
            *parameter = place[cluster as usize];
        }
    }
}
