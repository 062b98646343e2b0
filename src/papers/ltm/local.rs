//! CLGrouping: a spanning tree over the observed nodes, in which the closed neighbourhood of every inner node is replaced
//! by the latent tree of its distances.

use contract::{Context, Result};
use math::random::Random;

use super::distances::{Distances, FAR};
use super::graph::Graph;
use super::grouping::{self, LEAST, group};
use super::joining::join;

/// How the latent tree of a few nodes is found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Builder {
    /// By recursive grouping.
    Grouping(grouping::Settings),
    /// By neighbour joining, edges shorter than this contracted.
    Joining(f64),
}

impl Builder {
    /// The length below which edges that touch a hidden node are contracted.
    pub fn contraction(&self) -> f64 {
        match self {
            Self::Grouping(settings) => settings.contraction,
            Self::Joining(contraction) => *contraction,
        }
    }

    /// The latent tree of the distances between some nodes. Of nodes at distance zero from each other, which no hidden
    /// node can part, the first stands for all, and the others are joined to it.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn build(
        &self,
        distances: &Distances,
        random: &mut Random,
        context: &Context,
    ) -> Result<Graph> {
        let m = distances.nodes();
        let first = |v: usize| (0..v).find(|&other| distances.of(other, v) == 0.0).unwrap_or(v);
        let stands_for: Vec<usize> = (0..m).map(first).collect();
        let own: Vec<usize> = (0..m).filter(|&v| stands_for[v] == v).collect();
        let distances = distances.among(&own);
        let found = match self {
            Self::Grouping(settings) => group(distances, settings, random, context)?,
            Self::Joining(contraction) => join(&distances, *contraction, context)?,
        };
        if own.len() == m {
            return Ok(found);
        }
        let mut all = Graph::new(m);
        let hidden: Vec<usize> = (own.len()..found.nodes()).map(|_| all.add_hidden()).collect();
        let name = |at: usize| own.get(at).copied().unwrap_or_else(|| hidden[at - own.len()]);
        for (a, b, length) in found.edges() {
            all.join(name(a), name(b), length);
        }
        for (v, &other) in stands_for.iter().enumerate().filter(|&(v, &other)| v != other) {
            all.join(v, other, 0.0);
        }
        Ok(all)
    }
}

/// A node and its neighbours, ascending.
pub fn closed_neighbourhood(graph: &Graph, node: usize) -> Vec<usize> {
    let mut members: Vec<usize> = graph.of(node).keys().copied().collect();
    members.push(node);
    members.sort_unstable();
    members
}

/// Replaces the closed neighbourhoods of the inner nodes, those with most neighbours first, in a tree over the observed
/// nodes. A neighbourhood whose latent tree has no hidden node stays as it is.
///
/// A neighbourhood of m nodes takes O(m³), and a hidden node O(n) for each of its neighbours.
///
/// # Errors
/// If the deadline passes or the user interrupts.
pub fn group_locally(
    graph: &mut Graph,
    distances: &mut Distances,
    builder: &Builder,
    random: &mut Random,
    context: &Context,
) -> Result<()> {
    let mut inner: Vec<usize> = (0..graph.observed()).filter(|&v| graph.of(v).len() > 1).collect();
    inner.sort_by_key(|&v| std::cmp::Reverse(graph.of(v).len()));
    for node in inner {
        context.check()?;
        let members = closed_neighbourhood(graph, node);
        if members.len() < 3 {
            continue;
        }
        let found = builder.build(&distances.among(&members), random, context)?;
        if latent(&found, &members, graph.observed()) {
            replace(graph, distances, node, &members, &found);
        }
    }
    graph.contract(graph.observed(), builder.contraction());
    Ok(())
}

/// Whether a tree of some members has hidden nodes, new or old. Without any, the spanning tree is the better one.
pub fn latent(found: &Graph, members: &[usize], observed: usize) -> bool {
    let new = || (members.len()..found.nodes()).any(|h| !found.of(h).is_empty());
    members.iter().any(|&member| member >= observed) || new()
}

/// Replaces the closed neighbourhood of a node by a latent tree of its members and returns the new hidden nodes, in the
/// order of the latent tree's.
///
/// The distance of a new node h to a node k behind member m is d_lk - d_lh for members l on other sides of h than m,
/// averaged over the nearest one of each side.
pub fn replace(
    graph: &mut Graph,
    distances: &mut Distances,
    node: usize,
    members: &[usize],
    found: &Graph,
) -> Vec<usize> {
    let local: Vec<usize> =
        (members.len()..found.nodes()).filter(|&h| !found.of(h).is_empty()).collect();
    // The member behind which each node lies.
    let mut sides = graph.sides(node);
    sides[node] = Some(node);
    let place = |member: usize| members.binary_search(&member).expect("a member");
    let behind: Vec<Option<usize>> = sides.iter().map(|side| side.map(place)).collect();
    for &member in members {
        graph.cut(node, member);
    }
    let first = graph.nodes();
    let added: Vec<usize> = local.iter().map(|_| graph.add_hidden()).collect();
    let name = |at: usize| local.binary_search(&at).map_or_else(|_| members[at], |h| first + h);
    for (a, b, length) in found.edges() {
        graph.join(name(a), name(b), length);
    }
    for (index, &h) in local.iter().enumerate() {
        let lengths = found.paths(h);
        let sides = found.sides(h);
        // Of each neighbour of h the nearest member behind it.
        let nearest: Vec<(usize, usize)> = found
            .of(h)
            .keys()
            .map(|&side| {
                let there = (0..members.len()).filter(|&l| sides[l] == Some(side));
                let near = there.min_by(|&a, &b| lengths[a].total_cmp(&lengths[b]));
                (side, near.expect("every leaf is a member"))
            })
            .collect();
        let mut row: Vec<f64> = (0..first)
            .map(|k| {
                let Some(behind) = behind[k] else { return FAR };
                if members[behind] == k {
                    return lengths[behind].clamp(LEAST, FAR);
                }
                let (mut sum, mut count) = (0.0, 0.0);
                for &(side, l) in &nearest {
                    if sides[behind] != Some(side) {
                        sum += distances.of(members[l], k) - lengths[l];
                        count += 1.0;
                    }
                }
                f64::clamp(sum / count, LEAST, FAR)
            })
            .collect();
        row.extend(local[..index].iter().map(|&other| lengths[other].clamp(LEAST, FAR)));
        let closest = (0..members.len()).min_by(|&a, &b| lengths[a].total_cmp(&lengths[b]));
        distances.push_near(members[closest.expect("a neighbourhood has members")], &row);
    }
    added
}
