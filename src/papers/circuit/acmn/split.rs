//! How a circuit changes when a feature is split by a variable, as in D. Lowd and A. Rooshenas, "Learning Markov networks with
//! arithmetic circuits", AISTATS 2013, and in their programme.
//!
//! In every product with a child D that has the feature's factor and another, S, that has the variable, both are replaced by a sum
//! over the values y of the variable of literal (v = y) · D_y · S_y: D_y is D with the factor of the feature and (v = y) beside the
//! feature's own, S_y is S with the literal set to one, and without the terms of the other value. Where S is a literal of the variable,
//! D becomes D_y. Only what is above the factor, or above the variable, is copied.

use crate::circuit::network::{Circuit, Node};

/// A feature's factor, the variable that it is split by, and the factors of the new features; none where there is one already.
#[derive(Debug, Clone, Copy)]
pub struct Split {
    pub factor: Node,
    pub variable: u32,
    pub new: [Option<Node>; 2],
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
    Node::Leaf(2 * variable + value as u32)
}

/// Some leaves, and which of the sums and products that there were before a split are above one of them.
struct Above {
    leaves: Vec<Node>,
    inner: Vec<bool>,
}

impl Above {
    fn has(&self, node: Node) -> bool {
        match node {
            Node::Inner(at) => self.inner[at as usize],
            Node::Leaf(_) => self.leaves.contains(&node),
        }
    }
}

/// A circuit that is being split: what is new stands behind what there was, where also the root stays.
struct Splitting {
    circuit: Circuit,
    split: Split,
    factor: Above,
    variable: Above,
    copies: Vec<[Option<Node>; 2]>,
    rests: Vec<[Option<Rest>; 2]>,
}

impl Circuit {
    /// The circuit after a split.
    #[must_use]
    pub fn split(&self, split: Split) -> Self {
        let inner = self.inner.len();
        let mut splitting = Splitting {
            circuit: self.clone(),
            split,
            factor: self.above(vec![split.factor]),
            variable: self.above((0..2).map(|value| literal(split.variable, value)).collect()),
            copies: vec![[None; 2]; inner],
            rests: vec![[None; 2]; inner],
        };
        for at in 0..inner {
            splitting.at(at);
        }
        splitting.circuit.compact(inner - 1)
    }

    fn above(&self, leaves: Vec<Node>) -> Above {
        let mut above = Above { leaves, inner: Vec::with_capacity(self.inner.len()) };
        for inner in &self.inner {
            let any = self.edges[self.children(inner)].iter().any(|&child| above.has(child));
            above.inner.push(any);
        }
        above
    }

    /// What is below a root alone, children before parents.
    fn compact(&self, root: usize) -> Self {
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
                    if let Node::Inner(child) = *child {
                        open.push((child as usize, false));
                    }
                }
                continue;
            }
            let moved = children.iter().map(|child| match *child {
                Node::Inner(at) => placed[at as usize].unwrap_or(*child),
                Node::Leaf(_) => *child,
            });
            placed[at] = Some(compact.add(inner.sum, moved));
        }
        compact
    }
}

impl Splitting {
    fn children(&self, at: usize) -> (bool, Vec<Node>) {
        let inner = self.circuit.inner[at];
        (inner.sum, self.circuit.edges[self.circuit.children(&inner)].to_vec())
    }

    /// Splits below a product, if its children part the factor from the variable.
    fn at(&mut self, at: usize) {
        let (sum, mut rest) = self.children(at);
        let of_factor = rest.iter().position(|&child| self.factor.has(child));
        let of_variable = rest.iter().position(|&child| self.variable.has(child));
        let (Some(of_factor), Some(of_variable)) = (of_factor, of_variable) else { return };
        if sum || of_factor == of_variable {
            return;
        }
        let (d, s) = (rest[of_factor], rest[of_variable]);
        rest.retain(|&child| child != d && child != s);
        let mut terms: Vec<Vec<Node>> = (0..2).filter_map(|value| self.term(d, s, value)).collect();
        if terms.len() == 1 {
            rest.append(&mut terms[0]);
        } else {
            let terms: Vec<Node> = terms.into_iter().map(|of| self.circuit.product(of)).collect();
            rest.push(self.circuit.add(true, terms));
        }
        // A product of one sum is that sum; it was added last.
        let new = if rest.len() == 1 { rest[0] } else { self.circuit.product(rest) };
        if let Node::Inner(new) = new {
            self.circuit.inner[at] = self.circuit.inner[new as usize];
        }
    }

    /// The factors of the term of a value; none if there is no such term.
    fn term(&mut self, d: Node, s: Node, value: usize) -> Option<Vec<Node>> {
        let mut factors = vec![literal(self.split.variable, value)];
        match self.rest(s, value) {
            Rest::Zero => return None,
            Rest::One => {}
            Rest::Some(node) => factors.push(node),
        }
        self.copied(d, value, &mut factors);
        Some(factors)
    }

    /// Appends a node with the new factor of a value beside the feature's.
    fn copied(&mut self, node: Node, value: usize, to: &mut Vec<Node>) {
        let Some(new) = self.split.new[value].filter(|_| self.factor.has(node)) else {
            to.push(node);
            return;
        };
        let Node::Inner(at) = node else {
            to.extend([node, new]);
            return;
        };
        let at = at as usize;
        if let Some(copy) = self.copies[at][value] {
            to.push(copy);
            return;
        }
        let (sum, children) = self.children(at);
        let mut copies = Vec::with_capacity(children.len() + 1);
        children.into_iter().for_each(|child| self.copied(child, value, &mut copies));
        let copy = self.circuit.add(sum, copies);
        self.copies[at][value] = Some(copy);
        to.push(copy);
    }

    /// What is left of a node where the variable has a value.
    fn rest(&mut self, node: Node, value: usize) -> Rest {
        if !self.variable.has(node) {
            return Rest::Some(node);
        }
        let Node::Inner(at) = node else {
            let this = node == literal(self.split.variable, value);
            return if this { Rest::One } else { Rest::Zero };
        };
        let at = at as usize;
        if let Some(rest) = self.rests[at][value] {
            return rest;
        }
        let (sum, children) = self.children(at);
        let mut kept = Vec::with_capacity(children.len());
        let mut zero = false;
        for child in children {
            match self.rest(child, value) {
                Rest::Zero => zero = true,
                Rest::One if sum => kept.push(self.circuit.product([])),
                Rest::One => {}
                Rest::Some(node) => kept.push(node),
            }
        }
        let rest = match kept.as_slice() {
            _ if zero && !sum => Rest::Zero,
            [] if sum => Rest::Zero,
            [] => Rest::One,
            &[only] => Rest::Some(only),
            _ => Rest::Some(self.circuit.add(sum, kept)),
        };
        self.rests[at][value] = Some(rest);
        rest
    }
}
