//! Trees whose leaves are observed and whose other nodes are hidden: the shapes of Choi, Tan, Anandkumar and Willsky
//! (JMLR 2011), section 7.

use base::words;
use contract::LatentTree;
use math::random::Random;

/// Children of an inner node of a complete tree.
const COMPLETE: usize = 5;
/// Most children of an inner node of a random tree.
const MOST_CHILDREN: usize = 4;

words! {
    /// The shape of a latent tree.
    pub enum Shape {
        /// One hidden node.
        Star = "star", "all variables around one hidden node";
        /// Two hidden nodes.
        DoubleStar = "double-star", "half of the variables around each of two hidden nodes that are joined";
        /// A chain of hidden nodes.
        Hmm = "hmm", "a chain of hidden nodes with a variable at each, and two at its ends";
        /// Five children each.
        Complete = "complete", "hidden nodes with five children each, as far as the number of variables allows";
        /// Random.
        Random = "random", "two to four random subtrees are joined by a hidden node until one tree is left";
    }
}

impl Shape {
    /// A tree of this shape with at least four leaves. Every hidden node has at least three neighbours.
    pub fn tree(self, leaves: usize, random: &mut Random) -> LatentTree {
        let mut edges: Vec<[u32; 2]> = Vec::new();
        let mut next = leaves;
        let mut join = |children: &[usize]| {
            let parent = next;
            next += 1;
            edges.extend(children.iter().map(|&child| [child as u32, parent as u32]));
            parent
        };
        let mut roots: Vec<usize> = (0..leaves).collect();
        match self {
            Self::Star => roots = vec![join(&roots)],
            Self::DoubleStar => {
                let (one, other) = roots.split_at(leaves / 2);
                roots = vec![join(one), join(other)];
            }
            Self::Hmm => {
                let mut last = join(&roots[..2]);
                for &leaf in &roots[2..leaves - 2] {
                    last = join(&[last, leaf]);
                }
                roots = vec![join(&[last, leaves - 2, leaves - 1])];
            }
            Self::Complete => {
                while roots.len() > 2 {
                    let groups = (roots.len() / COMPLETE).max(1);
                    let mut rest = &roots[..];
                    let mut parents = Vec::with_capacity(groups);
                    for group in 0..groups {
                        let last = group + 1 == groups;
                        // What is left over goes to the last one, or makes one of its own.
                        let count =
                            if last && rest.len() < COMPLETE + 2 { rest.len() } else { COMPLETE };
                        parents.push(join(&rest[..count]));
                        rest = &rest[count..];
                    }
                    if !rest.is_empty() {
                        parents.push(join(rest));
                    }
                    roots = parents;
                }
            }
            Self::Random => {
                while roots.len() > 2 {
                    let count = if roots.len() <= MOST_CHILDREN {
                        roots.len()
                    } else {
                        2 + random.below(MOST_CHILDREN - 1)
                    };
                    random.shuffle(&mut roots);
                    let children = roots.split_off(roots.len() - count);
                    roots.push(join(&children));
                }
            }
        }
        if let [one, other] = roots[..] {
            edges.push([one as u32, other as u32]);
        }
        LatentTree::new(leaves, next - leaves, edges).expect("subtrees are joined once")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::digest::Digest;
    use base::words::Worded;

    #[test]
    fn every_shape_is_a_minimal_tree_over_leaves() {
        for (word, shape) in Shape::WORDS.iter() {
            for leaves in (4..40).chain([80]) {
                let tree = shape.tree(leaves, &mut Random::new(Digest::of(b"shape")));
                assert_eq!(tree.edges().len() + 1, tree.nodes(), "{word} {leaves}");
                let neighbours = tree.neighbours();
                assert!(neighbours[..leaves].iter().all(|of_leaf| of_leaf.len() == 1));
                assert!(neighbours[leaves..].iter().all(|of| of.len() > 2), "{word} {leaves}");
            }
        }
        let tree = |shape: Shape| shape.tree(25, &mut Random::new(Digest::of(b"shape")));
        assert_eq!(tree(Shape::Star).hidden(), 1);
        assert_eq!(tree(Shape::DoubleStar).hidden(), 2);
        assert_eq!(tree(Shape::Hmm).hidden(), 23);
        assert_eq!(tree(Shape::Complete).hidden(), 6);
    }
}
