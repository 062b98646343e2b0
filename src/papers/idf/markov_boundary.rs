//! Lemma 6: theorem 5's graph through Markov boundaries.

use std::collections::BTreeSet;

use super::independence::{Evidence, pairs};
use super::procedures::{Asking, By, Tally};
use contract::{Partition, Result, words};
use math::components::Components;

words! {
    /// How a Markov boundary is searched for. Both grow a set by dependences given the set so far, then shrink
    /// it. Growing tacitly assumes Composition: a variable that depends on others only together is never found.
    pub enum Search {
        /// Tsamardinos, Aliferis and Statnikov, FLAIRS 2003.
        Iamb = "iamb", "the most dependent variable joins first";
        /// Margaritis and Thrun, NIPS 1999.
        GrowShrink = "grow-shrink", "the first dependent variable in the dataset's order joins first";
    }
}

impl By<'_> {
    /// An edge where V_j is in the Markov boundary of V_i, or V_i in that of V_j. Right if Intersection holds
    /// and the boundaries are right. O(n) tests for each variable that joins a boundary; the variables are shared
    /// between idle cores.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn markov_boundary(&self, search: Search) -> Result<Partition> {
        let n = self.test.variables();
        let alpha = self.level.of_each(pairs(n));
        let of = |asking: &mut Asking<'_>, target| self.boundary(target, search, alpha, asking);
        let boundaries = self.context.each_with(n, 1, || self.asking(), of)?;
        let mut tally = Tally::default();
        let mut components = Components::new(n);
        let mut edges = BTreeSet::new();
        for (target, (boundary, of_target)) in boundaries.into_iter().enumerate() {
            for member in boundary {
                components.join(target, member);
                edges.insert((target.min(member), target.max(member)));
            }
            tally.merge(of_target);
        }
        tally.edges = edges.len();
        Ok(tally.partition(components))
    }

    /// A Markov boundary of one variable, and what was tested.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn boundary(
        &self,
        target: usize,
        search: Search,
        alpha: f64,
        asking: &mut Asking<'_>,
    ) -> Result<(Vec<usize>, Tally)> {
        let mut boundary: Vec<usize> = Vec::new();
        loop {
            let mut best: Option<(usize, Evidence)> = None;
            for candidate in 0..self.test.variables() {
                if candidate == target || boundary.contains(&candidate) {
                    continue;
                }
                let evidence = asking.evidence((target, candidate), &boundary)?;
                if evidence.p <= alpha && best.is_none_or(|(_, other)| stronger(evidence, other)) {
                    best = Some((candidate, evidence));
                    if search == Search::GrowShrink {
                        break;
                    }
                }
            }
            match best {
                Some((member, _)) => boundary.push(member),
                None => break,
            }
        }
        let mut at = 0;
        while at < boundary.len() {
            let mut others = boundary.clone();
            let member = others.remove(at);
            if asking.evidence((target, member), &others)?.p <= alpha {
                at += 1;
            } else {
                boundary = others;
            }
        }
        Ok((boundary, std::mem::take(&mut asking.tally)))
    }
}

fn stronger(one: Evidence, other: Evidence) -> bool {
    one.p < other.p || (one.p == other.p && one.strength > other.strength)
}
