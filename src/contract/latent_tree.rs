//! Trees over observed and hidden variables.

use std::collections::BTreeSet;

use math::components::Components;

/// A tree, or a forest, whose nodes are observed or hidden variables: observed ones have the numbers below
/// [`Self::observed`], hidden ones those behind them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LatentTree {
    observed: usize,
    hidden: usize,
    edges: Vec<[u32; 2]>,
}

impl LatentTree {
    /// A tree of these edges. They are kept in ascending order, the lower end first.
    ///
    /// None if an end is no node, or the edges close a circle.
    pub fn new(
        observed: usize,
        hidden: usize,
        edges: impl IntoIterator<Item = [u32; 2]>,
    ) -> Option<Self> {
        let nodes = observed + hidden;
        let mut edges: Vec<[u32; 2]> =
            edges.into_iter().map(|[a, b]| [a.min(b), a.max(b)]).collect();
        edges.sort_unstable();
        let mut components = Components::new(nodes);
        for &[a, b] in &edges {
            let (a, b) = (a as usize, b as usize);
            if b >= nodes || !components.join(a, b) {
                return None;
            }
        }
        Some(Self { observed, hidden, edges })
    }

    /// Number of observed variables.
    pub fn observed(&self) -> usize {
        self.observed
    }

    /// Number of hidden variables.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// Number of all variables.
    pub fn nodes(&self) -> usize {
        self.observed + self.hidden
    }

    /// The edges in ascending order, the lower end first.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// The neighbours of each node, ascending.
    pub fn neighbours(&self) -> Vec<Vec<usize>> {
        let mut neighbours = vec![Vec::new(); self.nodes()];
        for &[a, b] in &self.edges {
            neighbours[a as usize].push(b as usize);
            neighbours[b as usize].push(a as usize);
        }
        neighbours.iter_mut().for_each(|of_node| of_node.sort_unstable());
        neighbours
    }

    /// What each edge divides: the observed variables of its component on either side of it, as words of bits, always in
    /// one order. Two minimal trees (every hidden node has at least three neighbours) are the
    /// same if and only if their divisions are (Buneman 1971).
    fn divisions(&self) -> BTreeSet<[Vec<u64>; 2]> {
        let words = self.observed.div_ceil(64);
        let neighbours = self.neighbours();
        let mut below = vec![vec![0u64; words]; self.nodes()];
        let mut divisions = BTreeSet::new();
        let mut seen = vec![false; self.nodes()];
        for root in 0..self.nodes() {
            if seen[root] {
                continue;
            }
            let order = breadth_first(&neighbours, root);
            for &(node, parent) in order.iter().rev() {
                seen[node] = true;
                if node < self.observed {
                    below[node][node / 64] |= 1 << (node % 64);
                }
                if let Some(parent) = parent {
                    let own = below[node].clone();
                    below[parent].iter_mut().zip(own).for_each(|(all, own)| *all |= own);
                }
            }
            for &(node, _) in &order[1..] {
                let one = below[node].clone();
                let other: Vec<u64> =
                    below[root].iter().zip(&one).map(|(all, one)| all & !one).collect();
                divisions.insert(if one < other { [one, other] } else { [other, one] });
            }
        }
        divisions
    }

    /// The distance of Robinson and Foulds (1981): how many divisions of the observed variables by an edge the trees do
    /// not share. It is zero if and only if two minimal trees are the same but for the numbers of hidden nodes.
    ///
    /// # Panics
    /// If they have other observed variables.
    pub fn robinson_foulds(&self, other: &Self) -> usize {
        assert_eq!(self.observed, other.observed, "trees over the same variables");
        let (own, others) = (self.divisions(), other.divisions());
        own.symmetric_difference(&others).count()
    }
}

/// The nodes of the tree around `root`, the nearer ones first, each with its parent: the neighbour that is nearer.
pub fn breadth_first(neighbours: &[Vec<usize>], root: usize) -> Vec<(usize, Option<usize>)> {
    let mut order = vec![(root, None)];
    let mut at = 0;
    while let Some(&(node, parent)) = order.get(at) {
        let further = neighbours[node].iter().filter(|&&next| Some(next) != parent);
        order.extend(further.map(|&next| (next, Some(node))));
        at += 1;
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(observed: usize, hidden: usize, edges: &[[u32; 2]]) -> LatentTree {
        LatentTree::new(observed, hidden, edges.iter().copied()).unwrap()
    }

    #[test]
    fn circles_and_strangers_are_no_trees() {
        assert!(LatentTree::new(3, 0, [[0, 1], [1, 2], [2, 0]]).is_none());
        assert!(LatentTree::new(3, 0, [[0, 3]]).is_none());
        assert!(LatentTree::new(3, 0, [[1, 1]]).is_none());
        assert_eq!(tree(3, 1, &[[3, 1], [0, 3]]).edges(), [[0, 3], [1, 3]]);
    }

    #[test]
    fn quartets_differ_by_their_inner_edges() {
        let quartet =
            |a: u32, b: u32, c: u32, d: u32| tree(4, 2, &[[a, 4], [b, 4], [c, 5], [d, 5], [4, 5]]);
        let own = quartet(0, 1, 2, 3);
        assert_eq!(own.robinson_foulds(&own), 0);
        // Hidden nodes have no names.
        assert_eq!(own.robinson_foulds(&quartet(3, 2, 1, 0)), 0);
        assert_eq!(own.robinson_foulds(&quartet(0, 2, 1, 3)), 2);
        let star = tree(4, 1, &[[0, 4], [1, 4], [2, 4], [3, 4]]);
        assert_eq!(own.robinson_foulds(&star), 1);
        // An observed node in the place of the hidden one: its own leaf's division is missing.
        let hub = tree(4, 0, &[[0, 1], [0, 2], [0, 3]]);
        assert_eq!(star.robinson_foulds(&hub), 1);
    }

    #[test]
    fn forests_differ_by_their_components() {
        let joined = tree(4, 0, &[[0, 1], [1, 2], [2, 3]]);
        let apart = tree(4, 0, &[[0, 1], [2, 3]]);
        assert_eq!(joined.robinson_foulds(&apart), 5);
        assert_eq!(apart.robinson_foulds(&apart), 0);
    }
}
