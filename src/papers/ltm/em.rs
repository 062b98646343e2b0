//! Parameters of a latent tree: those of pairs of observed nodes by counting, those around hidden nodes by EM.

use base::words;
use contract::parameter::{Choice, Count, Real, settings};
use contract::{Context, LatentTree, Result};
use math::random::Random;
use math::special::{exp, ln};

use super::messages::{Expected, FLOOR, Table, expectations};
use super::pieces::{Column, Columns, Piece, Plan};

words! {
    /// Where EM starts.
    pub enum Initial {
        /// From the structure's distances.
        Distances = "distances", "correlations along the edges are those of the distances, and a hidden node has the mean \
                                  probability of its observed neighbours";
        /// At random.
        Random = "random", "uniform conditional probabilities, drawn anew in every repeat";
    }
}

settings! {
    /// How parameters are estimated.
    #[derive(PartialEq)]
    pub struct Settings {
        SMOOTHING smoothing: Real::within(0.0..=1e9, 1e-3),
            "pseudo-examples spread evenly over the states: a quarter of it is added to each of the four counts of an edge";
        TOLERANCE tolerance: Real::not_negative(0.01),
            "EM ends when an iteration raises the log-likelihood of all training examples by less, in nats";
        MAX_ITERATIONS max_iterations: Count::within(0..=1_000_000, 1000), "most EM iterations";
        INITIAL initial: Choice<Initial>::worded("distances"), "where EM starts";
    }
}

/// A latent tree with its parameters.
#[derive(Debug, Clone)]
pub struct Fitted {
    /// How the tree is cut.
    pub plan: Plan,
    /// P(0) and P(1) of each root.
    pub roots: Vec<[f64; 2]>,
    /// Of each pair.
    pub pairs: Vec<Table>,
    /// Of each node of each piece.
    pub pieces: Vec<Vec<Table>>,
    /// The log-likelihood of the rows, the sum over their weights.
    pub log_likelihood: f64,
    /// EM iterations of each piece.
    pub iterations: Vec<usize>,
    /// How many pieces reached the limit.
    pub unconverged: usize,
}

/// The share of some weight in more, with pseudo-examples; a half where there is nothing.
fn share(part: f64, whole: f64, smoothing: f64, values: f64) -> f64 {
    let whole = whole + smoothing;
    if whole > 0.0 { ((part + smoothing / values) / whole).max(FLOOR) } else { 0.5 }
}

/// P(x | s) from weights, with pseudo-examples.
fn conditional(counts: &Table, smoothing: f64) -> Table {
    counts
        .map(|[zero, one]| [zero, one].map(|count| share(count, zero + one, 0.5 * smoothing, 2.0)))
}

/// The counts of two nodes whose values are known.
fn pair_counts(columns: &Columns, [parent, child]: [usize; 2], total: f64) -> Table {
    let (ones, own, both) =
        (columns.both(parent, parent), columns.both(child, child), columns.both(parent, child));
    [[(total - ones) - (own - both), own - both], [ones - both, both]]
}

fn log_likelihood(counts: &Table, table: &Table) -> f64 {
    let cells = counts.iter().flatten().zip(table.iter().flatten());
    cells.map(|(&count, &p)| if count > 0.0 { count * ln(p) } else { 0.0 }).sum()
}

/// Estimates the parameters of a tree. `columns` are those of its first nodes; of the others nothing is known.
/// `lengths` are the distances along the edges of the tree.
///
/// # Errors
/// If the deadline passes or the user interrupts.
pub fn fit(
    tree: &LatentTree,
    lengths: &[f64],
    columns: &Columns,
    settings: &Settings,
    random: &mut Random,
    context: &Context,
) -> Result<Fitted> {
    let plan = Plan::new(tree, |node| columns.is_hard(node));
    let total = columns.total();
    let Settings { smoothing, .. } = *settings;
    let ones: Vec<f64> = plan.roots.iter().map(|&root| columns.both(root, root)).collect();
    let of_root = |&ones: &f64| [total - ones, ones].map(|c| share(c, total, smoothing, 2.0));
    let roots: Vec<[f64; 2]> = ones.iter().map(of_root).collect();
    let mut sum = 0.0;
    for (&ones, &p) in ones.iter().zip(&roots) {
        sum += log_likelihood(&[[total - ones, ones], [0.0; 2]], &[p, [1.0; 2]]);
    }
    let mut pairs = Vec::with_capacity(plan.pairs.len());
    for &pair in &plan.pairs {
        let counts = pair_counts(columns, pair, total);
        let table = conditional(&counts, smoothing);
        sum += log_likelihood(&counts, &table);
        pairs.push(table);
    }
    let starts: Vec<Vec<Table>> = match settings.initial {
        Initial::Random => plan.pieces.iter().map(|piece| at_random(piece, random)).collect(),
        Initial::Distances => {
            let start = Start::new(tree, lengths, columns, total);
            plan.pieces.iter().map(|piece| start.tables(piece)).collect()
        }
    };
    let tolerance = settings.tolerance / plan.pieces.len().max(1) as f64;
    let runs = context.each(plan.pieces.len(), 1, |at| {
        let columns = columns_of(&plan.pieces[at], columns);
        let settings = Settings { tolerance, ..*settings };
        em(&plan.pieces[at], starts[at].clone(), &columns, &settings, context)
    })?;
    let mut fitted = Fitted {
        roots,
        pairs,
        pieces: Vec::with_capacity(runs.len()),
        log_likelihood: sum,
        iterations: Vec::with_capacity(runs.len()),
        unconverged: 0,
        plan,
    };
    for run in runs {
        fitted.log_likelihood += run.log_likelihood;
        fitted.iterations.push(run.iterations);
        fitted.unconverged += usize::from(!run.converged);
        fitted.pieces.push(run.tables);
    }
    Ok(fitted)
}

/// The columns of a piece: of its root, then of its nodes.
fn columns_of(piece: &Piece, columns: &Columns) -> Columns {
    let soft = |node: usize| matches!(columns.of.get(node), Some(Column::Soft(_)));
    let mut known = piece.boundary();
    known.extend(piece.nodes.iter().map(|node| node.name).filter(|&node| soft(node)));
    let (merged, _) = columns.of_nodes(&known);
    let mut of = vec![Column::Hidden; piece.nodes.len() + 1];
    for (name, column) in known.iter().zip(merged.of) {
        if let Some(at) = (0..of.len()).find(|&at| piece.name(at) == *name) {
            of[at] = column;
        }
    }
    Columns { weights: merged.weights, of }
}

/// How EM went.
#[derive(Debug, Clone)]
pub struct Run {
    /// The parameters.
    pub tables: Vec<Table>,
    /// The log-likelihood of the leaves given the root.
    pub log_likelihood: f64,
    /// Number of iterations.
    pub iterations: usize,
    /// Whether it ended before the limit.
    pub converged: bool,
}

/// Runs EM on a piece. Neither the log-likelihood nor, where there are pseudo-examples, its sum with their
/// logarithms is lowered but by rounding.
///
/// # Errors
/// If the deadline passes or the user interrupts.
pub fn em(
    piece: &Piece,
    mut tables: Vec<Table>,
    columns: &Columns,
    settings: &Settings,
    context: &Context,
) -> Result<Run> {
    let mut iterations = 0;
    let mut before = f64::NEG_INFINITY;
    loop {
        context.check()?;
        let Expected { log_likelihood, counts } =
            expectations(piece, &tables, columns, &context.cores);
        let objective = log_likelihood + prior(&tables, settings.smoothing);
        let growth = objective - before;
        let converged = iterations > 0 && (growth < settings.tolerance || growth == 0.0);
        if converged || iterations == settings.max_iterations {
            return Ok(Run { tables, log_likelihood, iterations, converged });
        }
        before = objective;
        tables = counts.iter().map(|counts| conditional(counts, settings.smoothing)).collect();
        iterations += 1;
    }
}

/// The logarithm of the pseudo-examples' weight.
fn prior(tables: &[Table], smoothing: f64) -> f64 {
    if smoothing == 0.0 {
        return 0.0;
    }
    let logs: f64 = tables.iter().flatten().flatten().map(|&p| ln(p)).sum();
    0.25 * smoothing * logs
}

fn at_random(piece: &Piece, random: &mut Random) -> Vec<Table> {
    let mut row = || {
        let one = random.uniform().max(FLOOR);
        [1.0 - one, one]
    };
    piece.nodes.iter().map(|_| [row(), row()]).collect()
}

/// Where EM starts from distances: hidden nodes have values that agree with those of the nearest node of which
/// something is known.
struct Start<'a> {
    columns: &'a Columns,
    total: f64,
    neighbours: Vec<Vec<(usize, f64)>>,
    /// Of each node the nearest one of which something is known.
    nearest: Vec<usize>,
}

impl<'a> Start<'a> {
    fn new(tree: &LatentTree, lengths: &[f64], columns: &'a Columns, total: f64) -> Self {
        let mut neighbours = vec![Vec::new(); tree.nodes()];
        for (&[a, b], &length) in tree.edges().iter().zip(lengths) {
            neighbours[a as usize].push((b as usize, length));
            neighbours[b as usize].push((a as usize, length));
        }
        let mut nearest: Vec<Option<(f64, usize)>> =
            (0..tree.nodes()).map(|node| columns.is_known(node).then_some((0.0, node))).collect();
        // In a tree every sweep carries the nearest node one edge further.
        let mut changed = true;
        while changed {
            changed = false;
            for node in 0..tree.nodes() {
                for &(other, length) in &neighbours[node] {
                    if let Some((far, known)) = nearest[other] {
                        let here = (far + length, known);
                        let better = nearest[node].is_none_or(|(least, at)| {
                            here.0 < least || (here.0 == least && here.1 < at)
                        });
                        if better {
                            nearest[node] = Some(here);
                            changed = true;
                        }
                    }
                }
            }
        }
        let nearest = nearest.into_iter().map(|found| found.map_or(0, |(_, at)| at)).collect();
        Self { columns, total, neighbours, nearest }
    }

    /// P(1) of a node of which something is known.
    fn ones(&self, node: usize) -> f64 {
        self.columns.both(node, node) / self.total
    }

    /// 1, or -1 where two nodes of which something is known are negatively correlated.
    fn sign(&self, a: usize, b: usize) -> f64 {
        let covariance = self.columns.both(a, b) / self.total - self.ones(a) * self.ones(b);
        if a != b && covariance < 0.0 { -1.0 } else { 1.0 }
    }

    /// P(1) of any node; of a hidden one the mean of its known neighbours, turned as it is.
    fn marginal(&self, node: usize) -> f64 {
        if self.columns.is_known(node) {
            return self.ones(node);
        }
        let of = self.nearest[node];
        let known = self.neighbours[node].iter().filter(|(next, _)| self.columns.is_known(*next));
        let turned = known.map(|&(next, _)| {
            let one = self.ones(next);
            if self.sign(of, next) < 0.0 { 1.0 - one } else { one }
        });
        let turned: Vec<f64> = turned.collect();
        let mean = match turned.len() {
            0 => self.ones(of),
            count => turned.iter().sum::<f64>() / count as f64,
        };
        mean.clamp(1e-3, 1.0 - 1e-3)
    }

    fn tables(&self, piece: &Piece) -> Vec<Table> {
        let table = |(place, node): (usize, &super::pieces::PieceNode)| {
            let (parent, child) = (piece.parent(place), node.name);
            let length = self.neighbours[child]
                .iter()
                .find(|(next, _)| *next == parent)
                .map_or(0.0, |(_, length)| *length);
            let correlation =
                self.sign(self.nearest[parent], self.nearest[child]) * exp(-length).min(0.99);
            let (p, q) = (self.marginal(child), self.marginal(parent).clamp(1e-6, 1.0 - 1e-6));
            let covariance = correlation * (p * (1.0 - p) * q * (1.0 - q)).sqrt();
            let (low, high) = ((0.1 * p).min(1e-3), (0.1 * (1.0 - p)).min(1e-3));
            let within = |one: f64| {
                let one = one.clamp(low, 1.0 - high);
                [(1.0 - one).max(FLOOR), one.max(FLOOR)]
            };
            [within(p - covariance / (1.0 - q)), within(p + covariance / q)]
        };
        piece.nodes.iter().enumerate().map(table).collect()
    }
}
