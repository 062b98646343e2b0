//! Trees with lengths on their edges, while they are being changed.

use std::collections::BTreeMap;

use contract::LatentTree;

/// A forest: of each node its neighbours with the lengths of the edges to them. Nodes below `observed` are observed.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    observed: usize,
    neighbours: Vec<BTreeMap<usize, f64>>,
}

impl Graph {
    /// Observed nodes without edges.
    pub fn new(observed: usize) -> Self {
        Self { observed, neighbours: vec![BTreeMap::new(); observed] }
    }

    /// Number of observed nodes.
    pub fn observed(&self) -> usize {
        self.observed
    }

    /// Number of nodes, hidden ones that lost their edges among them.
    pub fn nodes(&self) -> usize {
        self.neighbours.len()
    }

    /// Adds a hidden node and returns its number.
    pub fn add_hidden(&mut self) -> usize {
        self.neighbours.push(BTreeMap::new());
        self.neighbours.len() - 1
    }

    /// Adds an edge, or changes its length.
    pub fn join(&mut self, a: usize, b: usize, length: f64) {
        self.neighbours[a].insert(b, length);
        self.neighbours[b].insert(a, length);
    }

    /// Removes an edge.
    pub fn cut(&mut self, a: usize, b: usize) {
        self.neighbours[a].remove(&b);
        self.neighbours[b].remove(&a);
    }

    /// The neighbours of a node, ascending, with the lengths of the edges.
    pub fn of(&self, node: usize) -> &BTreeMap<usize, f64> {
        &self.neighbours[node]
    }

    /// The edges, ascending and the lower end first, with their lengths.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        self.neighbours.iter().enumerate().flat_map(|(node, others)| {
            others.range(node..).map(move |(&other, &length)| (node, other, length))
        })
    }

    /// Gives the neighbours of `node` to `other`, which is one of them; edges keep their lengths.
    fn merge(&mut self, node: usize, other: usize) {
        for (next, length) in std::mem::take(&mut self.neighbours[node]) {
            self.neighbours[next].remove(&node);
            if next != other {
                self.join(next, other, length);
            }
        }
    }

    /// Contracts edges that touch a hidden node from `first` on and are shorter than `threshold`, the shortest first,
    /// of equal ones the one of the lowest ends. The hidden node is merged into the other end, the later of two. Then
    /// hidden nodes with fewer than three neighbours are taken out. Hidden nodes before `first` stay.
    pub fn contract(&mut self, first: usize, threshold: f64) {
        loop {
            let mut shortest: Option<(f64, usize, usize)> = None;
            for node in first..self.nodes() {
                for (&other, &length) in &self.neighbours[node] {
                    if other >= first && other > node {
                        continue;
                    }
                    let nearer = shortest.is_none_or(|(least, a, b)| {
                        length < least || (length == least && (other, node) < (b, a))
                    });
                    if length < threshold && nearer {
                        shortest = Some((length, node, other));
                    }
                }
            }
            let Some((_, node, other)) = shortest else { break };
            self.merge(node, other);
        }
        self.suppress(first);
    }

    /// Takes hidden nodes from `first` on out that have fewer than three neighbours; the two neighbours of one are
    /// joined by an edge as long as both.
    pub fn suppress(&mut self, first: usize) {
        loop {
            let unneeded = |node: &usize| matches!(self.neighbours[*node].len(), 1 | 2);
            let Some(node) = (first..self.nodes()).find(unneeded) else { break };
            let ends: Vec<(usize, f64)> =
                std::mem::take(&mut self.neighbours[node]).into_iter().collect();
            for (next, _) in &ends {
                self.neighbours[*next].remove(&node);
            }
            if let [(a, one), (b, other)] = ends[..] {
                self.join(a, b, one + other);
            }
        }
    }

    /// The path lengths from a node to every node that it is joined to; infinite to all others.
    pub fn paths(&self, from: usize) -> Vec<f64> {
        let mut lengths = vec![f64::INFINITY; self.nodes()];
        lengths[from] = 0.0;
        let mut stack = vec![from];
        while let Some(node) = stack.pop() {
            for (&next, length) in &self.neighbours[node] {
                if lengths[next].is_infinite() {
                    lengths[next] = lengths[node] + length;
                    stack.push(next);
                }
            }
        }
        lengths
    }

    /// For every node the neighbour of `node` on the path to it; none for itself and those that no path leads to.
    pub fn sides(&self, node: usize) -> Vec<Option<usize>> {
        let mut sides = vec![None; self.nodes()];
        for &start in self.neighbours[node].keys() {
            sides[start] = Some(start);
            let mut stack = vec![start];
            while let Some(at) = stack.pop() {
                for &next in self.neighbours[at].keys() {
                    if next != node && sides[next].is_none() {
                        sides[next] = Some(start);
                        stack.push(next);
                    }
                }
            }
        }
        sides
    }

    /// The tree, its hidden nodes numbered anew in their order without gaps, with the length of each edge.
    pub fn finish(&self) -> (LatentTree, Vec<f64>) {
        let mut names: Vec<usize> = (0..self.observed).collect();
        let mut next = self.observed;
        for node in self.observed..self.nodes() {
            names.push(next);
            next += usize::from(!self.neighbours[node].is_empty());
        }
        let named =
            |(a, b, length): (usize, usize, f64)| ([names[a] as u32, names[b] as u32], length);
        let mut edges: Vec<([u32; 2], f64)> = self.edges().map(named).collect();
        edges.sort_unstable_by_key(|(ends, _)| *ends);
        let ends = edges.iter().map(|(ends, _)| *ends);
        let tree = LatentTree::new(self.observed, next - self.observed, ends);
        (
            tree.expect("its edges close no circle"),
            edges.iter().map(|(_, length)| *length).collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Leaves 0 to 3 around hidden nodes 4 and 5.
    fn quartet(inner: f64, of_zero: f64) -> Graph {
        let mut graph = Graph::new(4);
        assert_eq!((graph.add_hidden(), graph.add_hidden()), (4, 5));
        for (leaf, hidden, length) in [(0, 4, of_zero), (1, 4, 1.0), (2, 5, 1.0), (3, 5, 1.0)] {
            graph.join(leaf, hidden, length);
        }
        graph.join(4, 5, inner);
        graph
    }

    #[test]
    fn short_edges_are_contracted() {
        let mut graph = quartet(0.05, 1.0);
        graph.contract(4, 0.1);
        let (tree, lengths) = graph.finish();
        assert_eq!((tree.hidden(), lengths.len()), (1, 4));
        let mut graph = quartet(0.5, 0.05);
        graph.contract(4, 0.1);
        let (tree, lengths) = graph.finish();
        assert_eq!(tree.edges(), [[0, 1], [0, 4], [2, 4], [3, 4]]);
        assert_eq!(lengths, [1.0, 0.5, 1.0, 1.0]);
        let mut graph = quartet(0.5, 0.05);
        graph.contract(6, 0.1);
        assert_eq!(graph, quartet(0.5, 0.05));
        let mut all = quartet(0.5, 0.5);
        all.contract(4, f64::INFINITY);
        assert_eq!(all.finish().0.hidden(), 0);
    }

    #[test]
    fn paths_and_sides_follow_the_edges() {
        let graph = quartet(0.5, 0.25);
        assert_eq!(graph.paths(0), [0.0, 1.25, 1.75, 1.75, 0.25, 0.75]);
        assert_eq!(graph.sides(4), [Some(0), Some(1), Some(5), Some(5), None, Some(5)]);
    }
}
