//! How a circuit changes when a feature is split by a variable, as in D. Lowd and A. Rooshenas, "Learning Markov networks with
//! arithmetic circuits", AISTATS 2013, and in their programme.
//!
//! In every product with a child D that has the feature's factor and another, S, that has the variable, both are replaced by a sum
//! over the values y of the variable of literal (v = y) · D_y · S_y: D_y is D with the factor of the feature and (v = y) beside the
//! feature's own, S_y is S with the literal set to one, and without the terms of the other value. Where S is a literal of the variable,
//! D becomes D_y. Only what is above the factor, or above the variable, is copied.

use crate::circuit::network::{Circuit, Inner, Node, Place};

/// A feature's factor, the variable that it is split by, and the factors of the new features; none where there is one already.
#[derive(Debug, Clone, Copy)]
pub struct Split {
    pub factor: Node,
    pub variable: u32,
    pub new: [Option<Node>; 2],
}

/// What is to be undone.
#[derive(Debug)]
pub struct Undo {
    inner: usize,
    edges: usize,
    changed: Vec<(usize, Inner)>,
}

/// What is left of a node when a variable has a value.
#[derive(Debug, Clone, Copy)]
enum Rest {
    Zero,
    One,
    Some(Node),
}

/// The literal of a variable: literals are the first leaves.
pub fn literal(variable: u32, value: usize) -> Node {
    Node::leaf(2 * variable as usize + value)
}

struct Splitting<'a> {
    circuit: &'a mut Circuit,
    split: Split,
    /// Of the sums and products that there were before, which are above the factor, and above the variable.
    above_factor: Vec<bool>,
    above_variable: Vec<bool>,
    copies: Vec<[Option<Node>; 2]>,
    rests: Vec<[Option<Rest>; 2]>,
}

impl Circuit {
    /// Splits; children need not stand before their parents then, until [`Self::compact`] is called. The root stays where it was.
    pub fn split(&mut self, split: Split) -> Undo {
        let (inner, edges) = (self.inner.len(), self.edges.len());
        let literals = [0, 1].map(|value| literal(split.variable, value));
        let (above_factor, above_variable) =
            (self.above(|node| node == split.factor), self.above(|node| literals.contains(&node)));
        let mut splitting = Splitting {
            circuit: self,
            split,
            above_factor,
            above_variable,
            copies: vec![[None; 2]; inner],
            rests: vec![[None; 2]; inner],
        };
        let changed = (0..inner).filter_map(|at| splitting.at(at)).collect();
        Undo { inner, edges, changed }
    }

    /// Undoes the last split.
    pub fn undo(&mut self, undo: Undo) {
        self.inner.truncate(undo.inner);
        self.edges.truncate(undo.edges);
        self.weights.truncate(undo.edges);
        undo.changed.into_iter().for_each(|(at, inner)| self.inner[at] = inner);
    }

    /// Which sums and products are above one of these leaves.
    fn above(&self, wanted: impl Fn(Node) -> bool) -> Vec<bool> {
        let mut above: Vec<bool> = Vec::with_capacity(self.inner.len());
        for inner in &self.inner {
            let of_child = |node: &Node| match node.place() {
                Place::Inner(child) => above[child],
                Place::Leaf(_) => wanted(*node),
            };
            let any = self.edges[self.children(inner)].iter().any(of_child);
            above.push(any);
        }
        above
    }

    /// The edges below a root.
    pub fn edges_below(&self, root: usize) -> usize {
        let mut met = vec![false; self.inner.len()];
        let mut open = vec![root];
        let mut edges = 0;
        met[root] = true;
        while let Some(at) = open.pop() {
            let children = &self.edges[self.children(&self.inner[at])];
            edges += children.len();
            for child in children {
                if let Place::Inner(child) = child.place()
                    && !std::mem::replace(&mut met[child], true)
                {
                    open.push(child);
                }
            }
        }
        edges
    }

    /// What is below a root alone, children before parents.
    #[must_use]
    pub fn compact(&self, root: usize) -> Self {
        let mut compact = Self::new(self.variables);
        compact.leaves.clone_from(&self.leaves);
        let mut placed: Vec<Option<Node>> = vec![None; self.inner.len()];
        let mut open = vec![(root, false)];
        while let Some((at, ready)) = open.pop() {
            if placed[at].is_some() {
                continue;
            }
            let inner = &self.inner[at];
            let children = &self.edges[self.children(inner)];
            if !ready {
                open.push((at, true));
                for child in children.iter().rev() {
                    if let Place::Inner(child) = child.place() {
                        open.push((child, false));
                    }
                }
                continue;
            }
            let moved = children.iter().map(|child| match child.place() {
                Place::Inner(child) => placed[child].unwrap_or(Node::inner(child)),
                Place::Leaf(_) => *child,
            });
            placed[at] = Some(match inner.sum {
                true => compact.sum(moved.map(|child| (child, 0.0))),
                false => compact.product(moved),
            });
        }
        compact
    }
}

impl Splitting<'_> {
    /// Splits below a product, if its children part the factor from the variable: what it was before.
    fn at(&mut self, at: usize) -> Option<(usize, Inner)> {
        let before = self.circuit.inner[at];
        if before.sum || !self.above_factor[at] || !self.above_variable[at] {
            return None;
        }
        let children = self.circuit.edges[self.circuit.children(&before)].to_vec();
        let place =
            |of: &dyn Fn(&Self, Node) -> bool| children.iter().position(|&child| of(self, child));
        let of_factor = place(&Self::has_factor)?;
        let of_variable = place(&Self::has_variable)?;
        if of_factor == of_variable {
            return None;
        }
        let (d, s) = (children[of_factor], children[of_variable]);
        let others = (0..children.len()).filter(|&at| at != of_factor && at != of_variable);
        let mut rest: Vec<Node> = others.map(|at| children[at]).collect();
        let mut branches: Vec<Vec<Node>> =
            (0..2).filter_map(|value| self.branch(d, s, value)).collect();
        if branches.len() == 1 {
            rest.append(&mut branches[0]);
            self.set(at, false, rest);
        } else {
            let terms: Vec<Node> =
                branches.into_iter().map(|factors| self.circuit.product(factors)).collect();
            if rest.is_empty() {
                self.set(at, true, terms);
            } else {
                rest.push(self.circuit.sum(terms.into_iter().map(|term| (term, 0.0))));
                self.set(at, false, rest);
            }
        }
        Some((at, before))
    }

    /// The factors of the term of a value; none if there is no such term.
    fn branch(&mut self, d: Node, s: Node, value: usize) -> Option<Vec<Node>> {
        let rest = self.rest(s, value);
        let mut factors = vec![literal(self.split.variable, value)];
        match rest {
            Rest::Zero => return None,
            Rest::One => {}
            Rest::Some(node) => factors.push(node),
        }
        self.copied(d, value, &mut factors);
        Some(factors)
    }

    fn set(&mut self, at: usize, sum: bool, children: Vec<Node>) {
        let circuit = &mut *self.circuit;
        let start = circuit.edges.len() as u32;
        circuit.edges.extend(children);
        circuit.weights.resize(circuit.edges.len(), 0.0);
        circuit.inner[at] = Inner { sum, start, end: circuit.edges.len() as u32 };
    }

    fn has_factor(&self, node: Node) -> bool {
        match node.place() {
            Place::Inner(at) => self.above_factor[at],
            Place::Leaf(_) => node == self.split.factor,
        }
    }

    fn has_variable(&self, node: Node) -> bool {
        match node.place() {
            Place::Inner(at) => self.above_variable[at],
            Place::Leaf(_) => (0..2).any(|value| node == literal(self.split.variable, value)),
        }
    }

    /// Appends a node with the new factor of a value beside the feature's.
    fn copied(&mut self, node: Node, value: usize, to: &mut Vec<Node>) {
        let Some(new) = self.split.new[value].filter(|_| self.has_factor(node)) else {
            to.push(node);
            return;
        };
        let Place::Inner(at) = node.place() else {
            to.extend([node, new]);
            return;
        };
        if let Some(copy) = self.copies[at][value] {
            to.push(copy);
            return;
        }
        let inner = self.circuit.inner[at];
        let children = self.circuit.edges[self.circuit.children(&inner)].to_vec();
        let mut copies = Vec::with_capacity(children.len() + 1);
        children.into_iter().for_each(|child| self.copied(child, value, &mut copies));
        let copy = match inner.sum {
            true => self.circuit.sum(copies.into_iter().map(|term| (term, 0.0))),
            false => self.circuit.product(copies),
        };
        self.copies[at][value] = Some(copy);
        to.push(copy);
    }

    /// What is left of a node where the variable has a value.
    fn rest(&mut self, node: Node, value: usize) -> Rest {
        if !self.has_variable(node) {
            return Rest::Some(node);
        }
        let Place::Inner(at) = node.place() else {
            let this = node == literal(self.split.variable, value);
            return if this { Rest::One } else { Rest::Zero };
        };
        if let Some(rest) = self.rests[at][value] {
            return rest;
        }
        let inner = self.circuit.inner[at];
        let children = self.circuit.edges[self.circuit.children(&inner)].to_vec();
        let mut kept = Vec::with_capacity(children.len());
        let mut zero = false;
        for child in children {
            match self.rest(child, value) {
                Rest::Zero => zero = true,
                Rest::One if inner.sum => kept.push(self.circuit.product([])),
                Rest::One => {}
                Rest::Some(node) => kept.push(node),
            }
        }
        let rest = match (kept.as_slice(), inner.sum) {
            (_, false) if zero => Rest::Zero,
            ([], true) => Rest::Zero,
            ([], false) => Rest::One,
            (&[only], _) => Rest::Some(only),
            (_, true) => Rest::Some(self.circuit.sum(kept.into_iter().map(|term| (term, 0.0)))),
            (_, false) => Rest::Some(self.circuit.product(kept)),
        };
        self.rests[at][value] = Some(rest);
        rest
    }
}
