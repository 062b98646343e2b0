//! Connected components of graphs.

/// Sets of nodes that edges have joined: union by size with path halving, O(α(n)) an edge.
#[derive(Debug, Clone)]
pub struct Components {
    parent: Vec<u32>,
    size: Vec<u32>,
}

impl Components {
    /// Every one of n nodes alone.
    pub fn new(nodes: usize) -> Self {
        Self { parent: (0..nodes as u32).collect(), size: vec![1; nodes] }
    }

    fn root(&mut self, node: usize) -> usize {
        let mut at = node;
        while self.parent[at] as usize != at {
            self.parent[at] = self.parent[self.parent[at] as usize];
            at = self.parent[at] as usize;
        }
        at
    }

    /// Adds an edge. Says whether no path joined its ends before.
    pub fn join(&mut self, one: usize, other: usize) -> bool {
        let (one, other) = (self.root(one), self.root(other));
        if one == other {
            return false;
        }
        let (large, small) =
            if self.size[one] < self.size[other] { (other, one) } else { (one, other) };
        self.parent[small] = large as u32;
        self.size[large] += self.size[small];
        true
    }

    /// The component of each node, numbered from 0 by their first nodes.
    pub fn labels(mut self) -> Vec<u32> {
        let nodes = self.parent.len();
        numbered(nodes, (0..nodes).map(|node| self.root(node))).0
    }
}

/// Labels below a limit by numbers from 0, in the order in which they first come; and how many there are.
pub fn numbered(limit: usize, labels: impl Iterator<Item = usize>) -> (Vec<u32>, usize) {
    let mut numbers = vec![u32::MAX; limit];
    let mut next = 0;
    let number = |label: usize| {
        if numbers[label] == u32::MAX {
            numbers[label] = next;
            next += 1;
        }
        numbers[label]
    };
    (labels.map(number).collect(), next as usize)
}

/// The connected components of a graph of n nodes, as [`Components::labels`].
pub fn components(nodes: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Vec<u32> {
    let mut components = Components::new(nodes);
    for (one, other) in edges {
        components.join(one, other);
    }
    components.labels()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_numbered_by_their_first_nodes() {
        assert_eq!(components(6, [(4, 1), (5, 4), (3, 2)]), [0, 1, 2, 2, 1, 1]);
        assert_eq!(components(3, []), [0, 1, 2]);
        assert!(components(0, []).is_empty());
        let path = (1..1000).map(|v| (v - 1, v));
        assert!(components(1000, path).iter().all(|&label| label == 0));
    }
}
