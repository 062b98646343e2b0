//! The Hessian of a pseudo-likelihood.

use super::network::Network;
use super::objective::LEAST_CURVATURE;
use math::lanes::symmetric;
use math::newton::Hessian;

/// A sum of blocks, one for each variable: its term depends on its own weight and those of its edges alone.
#[derive(Debug)]
pub struct Blocks {
    /// The parameters of each block, its variable's own weight first.
    parameters: Vec<u32>,
    sizes: Vec<u32>,
    /// Block after block, the entries on and above the diagonal, row by row. What a solution of its equations is good
    /// for, the next gradient tells: seven digits are enough.
    entries: Vec<f32>,
    diagonal: Vec<f64>,
    /// What the diagonal has more than the blocks.
    lifted: Vec<f64>,
}

impl Blocks {
    /// Of the entries on and above the diagonals.
    pub fn new(network: &Network, entries: impl Iterator<Item = f64>) -> Self {
        let n = network.variables();
        let mut parameters = Vec::with_capacity(n + 2 * network.edges.len());
        let mut sizes = Vec::with_capacity(n);
        for variable in 0..n {
            let neighbours = network.neighbours(variable);
            parameters.push(variable as u32);
            parameters.extend(neighbours.iter().map(|to| n as u32 + to.edge));
            sizes.push(neighbours.len() as u32 + 1);
        }
        let mut blocks = Self {
            parameters,
            sizes,
            entries: entries.map(|entry| entry as f32).collect(),
            diagonal: vec![0.0; network.parameters()],
            lifted: Vec::new(),
        };
        let mut diagonal = std::mem::take(&mut blocks.diagonal);
        blocks.each(|parameters, entries| {
            let mut at = 0;
            for (row, &parameter) in parameters.iter().enumerate() {
                diagonal[parameter as usize] += f64::from(entries[at]);
                at += parameters.len() - row;
            }
        });
        blocks.lifted = diagonal.iter().map(|value| (LEAST_CURVATURE - value).max(0.0)).collect();
        diagonal.iter_mut().for_each(|value| *value = value.max(LEAST_CURVATURE));
        blocks.diagonal = diagonal;
        blocks
    }

    fn each(&self, mut work: impl FnMut(&[u32], &[f32])) {
        let (mut parameters, mut entries) = (&self.parameters[..], &self.entries[..]);
        for &size in &self.sizes {
            let size = size as usize;
            let (of_block, block);
            (of_block, parameters) = parameters.split_at(size);
            (block, entries) = entries.split_at(size * (size + 1) / 2);
            work(of_block, block);
        }
    }
}

impl Hessian for Blocks {
    fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// Time and memory traffic are those of the entries.
    fn multiply(&self, vector: &[f64], product: &mut [f64]) {
        for (product, (value, lifted)) in product.iter_mut().zip(vector.iter().zip(&self.lifted)) {
            *product = value * lifted;
        }
        let (mut of_block, mut image) = (Vec::new(), Vec::new());
        self.each(|parameters, entries| {
            of_block.clear();
            of_block.extend(parameters.iter().map(|&parameter| vector[parameter as usize]));
            image.clear();
            image.resize(parameters.len(), 0.0);
            symmetric(entries, &of_block, &mut image);
            for (&parameter, value) in parameters.iter().zip(&image) {
                product[parameter as usize] += value;
            }
        });
    }
}
