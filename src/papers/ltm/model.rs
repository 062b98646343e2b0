//! The distribution of a latent tree.

use base::parallel::Cores;
use contract::binary::BinaryRows;
use contract::{DensityModel, ITERATIONS, LatentTree, Measure, Reported, metrics};
use math::sample::Sample;
use math::special::ln;
use math::vector;

use super::em::Fitted;
use super::messages::{Scratch, Table};
use super::pieces::BLOCK;
use crate::blocks::by_blocks;
use method::metrics::{PARAMETERS, UNCONVERGED};

metrics! {
    pub HIDDEN: Structure = "hidden", "Hidden variables", "number of hidden variables of a latent tree";
}

/// A latent tree with its parameters.
#[derive(Debug)]
pub struct LatentTreeModel {
    /// Its tree.
    pub tree: LatentTree,
    /// Its parameters.
    pub fitted: Fitted,
}

impl LatentTreeModel {
    /// ln P of a block of rows.
    fn block(&self, bits: &[u64], scratch: &mut Scratch) -> [f64; BLOCK] {
        let plan = &self.fitted.plan;
        let mut out = [0.0; BLOCK];
        for (&root, p) in plan.roots.iter().zip(&self.fitted.roots) {
            let logs = p.map(ln);
            for (row, value) in out.iter_mut().enumerate() {
                *value += logs[(bits[root] >> row & 1) as usize];
            }
        }
        for (&[parent, child], table) in plan.pairs.iter().zip(&self.fitted.pairs) {
            let logs: Table = table.map(|of| of.map(ln));
            let (parent, child) = (bits[parent], bits[child]);
            for (row, value) in out.iter_mut().enumerate() {
                *value += logs[(parent >> row & 1) as usize][(child >> row & 1) as usize];
            }
        }
        for (piece, tables) in plan.pieces.iter().zip(&self.fitted.pieces) {
            scratch.upward(piece, tables, |at| bits[piece.name(at)], |_| None);
            vector::add(&mut out, &scratch.logs);
        }
        out
    }
}

impl DensityModel for LatentTreeModel {
    fn log_likelihoods(&self, rows: &BinaryRows, cores: &Cores) -> Vec<f64> {
        by_blocks(rows, cores, Scratch::default, |scratch, bits| self.block(bits, scratch))
    }

    fn tree(&self) -> Option<&LatentTree> {
        Some(&self.tree)
    }

    fn measures(&self) -> Reported {
        let counts = self.fitted.iterations.iter();
        let mut iterations: Sample = counts.map(|&count| count as f64).collect();
        if self.fitted.iterations.is_empty() {
            iterations.push(0.0);
        }
        let parameters = 2 * self.tree.edges().len() + self.fitted.plan.roots.len();
        vec![
            (&PARAMETERS, Measure::Scalar(parameters as f64)),
            (&HIDDEN, Measure::Scalar(self.tree.hidden() as f64)),
            (&ITERATIONS, Measure::Sample(iterations)),
            (&UNCONVERGED, Measure::Scalar(self.fitted.unconverged as f64)),
        ]
    }
}
