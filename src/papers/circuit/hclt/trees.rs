//! The best spanning trees of the mutual informations, and a tree as it is walked.

use base::parallel::Cores;
use contract::binary::DistinctRows;
use contract::breadth_first;
use math::components::{Components, components};
use method::baseline::chow_liu::Cooccurrence;

use crate::circuit::information::Smoothed;

/// Added to each of the four counts of a pair of variables, times four.
const SMOOTHING: f64 = 0.4;

/// An edge, its lower end first.
type Edge = (u32, u32);

/// A spanning tree with what makes it one of its part of all trees: `fixed` edges stay, `banned` ones do not come back.
#[derive(Debug, Clone)]
struct Spanning {
    /// Relative to the heaviest.
    weight: f64,
    edges: Vec<Edge>,
    /// How many of the first edges stay.
    fixed: usize,
    banned: Vec<Edge>,
}

/// A tree that differs from a found one in one edge.
struct Swap {
    weight: f64,
    tree: usize,
    place: usize,
    added: Edge,
}

/// All edges, the heaviest first; of equal ones the one with the lower pair of variables.
pub struct Edges(Vec<(f64, Edge)>);

impl Edges {
    /// Weighted by mutual information.
    pub fn new(train: &DistinctRows, cores: &Cores) -> Self {
        let n = train.variables();
        let pairs = Cooccurrence::count(train, cores);
        let ones: Vec<f64> = (0..n).map(|v| f64::from(pairs.get(v, v))).collect();
        let information = Smoothed::new(&ones, train.examples() as f64, SMOOTHING);
        let of = |(a, b): (usize, usize)| {
            (information.of(a, b, f64::from(pairs.get(a, b))), (a as u32, b as u32))
        };
        Self::of((0..n).flat_map(|b| (0..b).map(move |a| (a, b))).map(of).collect())
    }

    fn of(mut edges: Vec<(f64, Edge)>) -> Self {
        edges.sort_unstable_by(|(a, one), (b, other)| b.total_cmp(a).then(one.cmp(other)));
        Self(edges)
    }

    fn heaviest(&self, nodes: usize) -> Spanning {
        let mut components = Components::new(nodes);
        let mut edges = Vec::with_capacity(nodes.saturating_sub(1));
        for &(_, (a, b)) in &self.0 {
            if components.join(a as usize, b as usize) {
                edges.push((a, b));
            }
        }
        Spanning { weight: 0.0, edges, fixed: 0, banned: Vec::new() }
    }

    /// The `count` heaviest spanning trees in their order; all, if there are fewer. Each is split off from the part of all trees that
    /// the ones before it stand for: the i-th swap of a tree keeps its first i edges and bans the next.
    pub fn heaviest_trees(&self, nodes: usize, count: usize) -> Vec<Vec<Edge>> {
        let mut found = vec![self.heaviest(nodes)];
        let mut swaps: Vec<Swap> = Vec::new();
        while found.len() < count {
            let last = found.len() - 1;
            swaps.extend(self.swaps(nodes, &found[last], last));
            let best = (0..swaps.len())
                .max_by(|&a, &b| swaps[a].weight.total_cmp(&swaps[b].weight).then(b.cmp(&a)));
            let Some(best) = best else { break };
            let Swap { weight, tree, place, added } = swaps.remove(best);
            let mut next = found[tree].clone();
            let removed = std::mem::replace(&mut next.edges[place], added);
            next.banned.push(removed);
            // What is fixed stands first.
            (next.fixed, next.weight) = (place, weight);
            found.push(next);
        }
        found.into_iter().map(|tree| tree.edges).collect()
    }

    /// Each edge that may go, replaced by the heaviest that joins what it leaves apart.
    fn swaps<'a>(
        &'a self,
        nodes: usize,
        tree: &'a Spanning,
        at: usize,
    ) -> impl Iterator<Item = Swap> + 'a {
        (tree.fixed..tree.edges.len()).filter_map(move |place| {
            let removed = tree.edges[place];
            let others = tree.edges.iter().filter(|edge| **edge != removed);
            let parts = components(nodes, others.map(|&(a, b)| (a as usize, b as usize)));
            let joins = |edge: Edge| parts[edge.0 as usize] != parts[edge.1 as usize];
            let may = |edge: Edge| joins(edge) && edge != removed && !tree.banned.contains(&edge);
            let (weight, added) = *self.0.iter().find(|(_, edge)| may(*edge))?;
            let lost = self.0.iter().find(|(_, edge)| *edge == removed)?.0;
            Some(Swap { weight: tree.weight - lost + weight, tree: at, place, added })
        })
    }
}

/// A tree with a root.
#[derive(Debug, Clone)]
pub struct Walk {
    /// Of each node; none of the root.
    pub parents: Vec<Option<u32>>,
    /// The nodes, children before parents.
    pub order: Vec<u32>,
}

impl Walk {
    /// The tree of these edges from `root` on.
    pub fn new(nodes: usize, edges: &[Edge], root: u32) -> Self {
        let mut neighbours = vec![Vec::new(); nodes];
        for &(a, b) in edges {
            neighbours[a as usize].push(b as usize);
            neighbours[b as usize].push(a as usize);
        }
        neighbours.iter_mut().for_each(|of| of.sort_unstable());
        let mut walk = Self { parents: vec![None; nodes], order: Vec::with_capacity(nodes) };
        for (node, parent) in breadth_first(&neighbours, root as usize).into_iter().rev() {
            walk.parents[node] = parent.map(|parent| parent as u32);
            walk.order.push(node as u32);
        }
        walk
    }

    /// The same from the middle of a longest way on; of two middles the one nearer to its start.
    pub fn centred(nodes: usize, edges: &[Edge]) -> Self {
        // The last in breadth-first order is the farthest; it stands first here.
        let far = Self::new(nodes, edges, 0).order[0];
        let from_far = Self::new(nodes, edges, far);
        let mut way = vec![from_far.order[0]];
        while let Some(parent) = from_far.parents[way[way.len() - 1] as usize] {
            way.push(parent);
        }
        Self::new(nodes, edges, way[way.len() / 2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All spanning trees of six nodes by Prüfer's sequences, against the enumeration by swaps.
    #[test]
    fn trees_come_in_the_order_of_their_weight() {
        let n = 6_usize;
        let weight =
            |a: u32, b: u32| f64::from((a * 31 + b * 17 + a * b * 7) % 101) + f64::from(a) / 64.0;
        let edges = Edges::of(
            (0..n as u32).flat_map(|b| (0..b).map(move |a| (weight(a, b), (a, b)))).collect(),
        );
        let total = |tree: &[Edge]| tree.iter().map(|&(a, b)| weight(a, b)).sum::<f64>();
        let mut all: Vec<f64> = (0..n.pow(4))
            .map(|code| {
                let code: Vec<usize> = (0..4).map(|at| code / n.pow(at) % n).collect();
                let mut degree = vec![1; n];
                code.iter().for_each(|&v| degree[v] += 1);
                let mut tree = Vec::new();
                for v in code {
                    let leaf = (0..n).find(|&leaf| degree[leaf] == 1).unwrap();
                    tree.push((leaf.min(v) as u32, leaf.max(v) as u32));
                    degree[leaf] -= 1;
                    degree[v] -= 1;
                }
                let last: Vec<u32> = (0..n as u32).filter(|&v| degree[v as usize] == 1).collect();
                tree.push((last[0], last[1]));
                total(&tree)
            })
            .collect();
        all.sort_unstable_by(|a, b| b.total_cmp(a));
        let found = edges.heaviest_trees(n, 200);
        let distinct: std::collections::BTreeSet<Vec<Edge>> = found
            .iter()
            .map(|tree| {
                let mut tree = tree.clone();
                tree.sort_unstable();
                tree
            })
            .collect();
        assert_eq!(distinct.len(), 200);
        for (tree, expected) in found.iter().zip(all) {
            assert!((total(tree) - expected).abs() < 1e-9);
        }
        // Three nodes have three trees.
        let three = Edges::of(vec![(1.0, (0, 1)), (2.0, (0, 2)), (3.0, (1, 2))]);
        assert_eq!(three.heaviest_trees(3, 20).len(), 3);
        assert_eq!(Edges::of(Vec::new()).heaviest_trees(1, 20), [Vec::new()]);
    }

    #[test]
    fn a_tree_is_walked_from_its_middle() {
        let path: Vec<Edge> = (1..7).map(|v| (v - 1, v)).collect();
        let walk = Walk::centred(7, &path);
        assert_eq!(walk.order.last(), Some(&3));
        assert_eq!(walk.parents[6], Some(5));
        assert_eq!(Walk::centred(1, &[]).order, [0]);
    }
}
