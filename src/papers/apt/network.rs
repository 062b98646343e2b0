//! Pairwise binary Markov networks.

use base::parallel::Cores;
use contract::binary::BinaryRows;

use math::vector;

/// The undirected graph of a pairwise network of n binary variables.
///
/// The model is P(x) ∝ exp(Σ_i b_i x_i + Σ_{ij} w_ij x_i x_j) with x in {0, 1}. Its parameters stand in one
/// vector: the n node weights b, then a weight w for each edge in the order of [`Network::edges`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Network {
    /// The edges, the lower variable first, ascending.
    pub edges: Vec<[u32; 2]>,
    offsets: Vec<usize>,
    neighbours: Vec<Neighbour>,
}

/// One end of an edge, seen from the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Neighbour {
    /// The variable at the other end.
    pub variable: u32,
    /// Index of the edge.
    pub edge: u32,
}

impl Network {
    /// A network of `variables` variables with these edges, each pair once in whatever order.
    ///
    /// # Panics
    /// If an edge joins a variable with itself, names one that does not exist, or is there twice.
    pub fn new(variables: usize, edges: impl IntoIterator<Item = [u32; 2]>) -> Self {
        let mut edges: Vec<[u32; 2]> =
            edges.into_iter().map(|[a, b]| [a.min(b), a.max(b)]).collect();
        edges.sort_unstable();
        assert!(
            edges.iter().all(|&[a, b]| a < b && (b as usize) < variables),
            "pairs of variables"
        );
        assert!(edges.windows(2).all(|pair| pair[0] != pair[1]), "an edge is there once");
        let mut offsets = vec![0; variables + 1];
        edges.iter().flatten().for_each(|&end| offsets[end as usize + 1] += 1);
        (0..variables).for_each(|variable| offsets[variable + 1] += offsets[variable]);
        let mut next = offsets.clone();
        let mut neighbours = vec![Neighbour { variable: 0, edge: 0 }; 2 * edges.len()];
        for (edge, &[a, b]) in (0..).zip(&edges) {
            for (from, variable) in [(a, b), (b, a)] {
                neighbours[next[from as usize]] = Neighbour { variable, edge };
                next[from as usize] += 1;
            }
        }
        for variable in 0..variables {
            neighbours[offsets[variable]..offsets[variable + 1]]
                .sort_unstable_by_key(|n| n.variable);
        }
        Self { edges, offsets, neighbours }
    }

    /// Number of variables, n.
    pub fn variables(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of parameters, m: of nodes and edges.
    pub fn parameters(&self) -> usize {
        self.variables() + self.edges.len()
    }

    /// The neighbours of a variable, ascending.
    pub fn neighbours(&self, variable: usize) -> &[Neighbour] {
        &self.neighbours[self.offsets[variable]..self.offsets[variable + 1]]
    }

    /// The largest number of neighbours of a variable.
    pub fn largest_degree(&self) -> usize {
        self.offsets.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
    }

    /// The log-odds of each variable being one given the others, in one row by its ones.
    fn log_odds(&self, parameters: &[f64], row: &[u32], out: &mut [f64]) {
        let (nodes, edges) = parameters.split_at(self.variables());
        out.copy_from_slice(nodes);
        for &one in row {
            for neighbour in self.neighbours(one as usize) {
                out[neighbour.variable as usize] += edges[neighbour.edge as usize];
            }
        }
    }

    /// The pseudo-log-likelihood of each row, Σ_i ln P(x_i | the others) (the paper's equation 1), in nats.
    /// Time O(n + the neighbours of its ones) a row.
    pub fn pseudo_log_likelihoods(
        &self,
        parameters: &[f64],
        rows: &BinaryRows,
        cores: &Cores,
    ) -> Vec<f64> {
        let n = self.variables();
        cores.each(
            rows.len(),
            512,
            || (vec![0.0; n], vec![0.0; n]),
            |(odds, softplus), index| {
                let row = rows.row(index);
                self.log_odds(parameters, row, odds);
                let linear: f64 = row.iter().map(|&one| odds[one as usize]).sum();
                vector::logistic(odds, softplus);
                linear - vector::sum(softplus)
            },
        )
    }

    /// Natural logarithm of the partition function, by summing over all 2^n states; none if there are more
    /// than [`MOST_SUMMED`] variables. Time O(2^n (1 + mean degree)).
    pub fn log_partition(&self, parameters: &[f64]) -> Option<f64> {
        let n = self.variables();
        if n > MOST_SUMMED {
            return None;
        }
        // Gray code: one variable changes at a time.
        let (nodes, edges) = parameters.split_at(n);
        let mut odds = nodes.to_vec();
        let (mut state, mut energy) = (0usize, 0.0);
        let mut energies = Vec::with_capacity(1 << n);
        energies.push(energy);
        for step in 1usize..1 << n {
            let variable = step.trailing_zeros() as usize;
            let sign = if state >> variable & 1 == 0 { 1.0 } else { -1.0 };
            state ^= 1 << variable;
            energy += sign * odds[variable];
            for neighbour in self.neighbours(variable) {
                odds[neighbour.variable as usize] += sign * edges[neighbour.edge as usize];
            }
            energies.push(energy);
        }
        Some(vector::log_sum_exp(&energies))
    }

    /// The logarithm of each row's unnormalised probability.
    pub fn log_weights(&self, parameters: &[f64], rows: &BinaryRows) -> Vec<f64> {
        let (nodes, edges) = parameters.split_at(self.variables());
        let weight = |row: &[u32]| {
            let pairs = row.iter().flat_map(|&one| {
                let below = move |neighbour: &&Neighbour| neighbour.variable < one;
                self.neighbours(one as usize).iter().take_while(below)
            });
            let pairs = pairs.filter(|neighbour| row.binary_search(&neighbour.variable).is_ok());
            row.iter().map(|&one| nodes[one as usize]).sum::<f64>()
                + pairs.map(|neighbour| edges[neighbour.edge as usize]).sum::<f64>()
        };
        rows.iter().map(weight).collect()
    }
}

/// The most variables whose states are summed over.
pub const MOST_SUMMED: usize = 20;
