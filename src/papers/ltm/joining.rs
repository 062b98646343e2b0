//! Neighbour joining (Saitou and Nei 1987, the form of Studier and Keppler 1988), and contraction of short edges, so that
//! observed nodes can have several neighbours and hidden ones more than three.

use contract::{Context, Result};

use super::distances::Distances;
use super::graph::Graph;

/// The latent tree of the distances between some nodes, all of which are observed in the tree that comes back. Edges that
/// touch a hidden node and are shorter than `contraction` are contracted. Of equal pairs the one with the lower
/// numbers is joined first. O(m³).
///
/// # Errors
/// If the deadline passes or the user interrupts.
pub fn join(distances: &Distances, contraction: f64, context: &Context) -> Result<Graph> {
    let members = distances.nodes();
    let mut graph = Graph::new(members);
    let mut between: Vec<Vec<f64>> =
        (0..members).map(|a| distances.row(a).iter().map(|to| to.distance).collect()).collect();
    // The node at each place of `between`.
    let mut nodes: Vec<usize> = (0..members).collect();
    let mut active: Vec<usize> = (0..members).collect();
    let mut sums: Vec<f64> = between.iter().map(|row| row.iter().sum()).collect();
    while active.len() > 3 {
        context.check()?;
        let others = (active.len() - 2) as f64;
        let mut best = (f64::INFINITY, 0, 0);
        for (place, &a) in active.iter().enumerate() {
            for &b in &active[place + 1..] {
                let value = others * between[a][b] - (sums[a] + sums[b]);
                if value < best.0 {
                    best = (value, a, b);
                }
            }
        }
        let (_, a, b) = best;
        let apart = between[a][b];
        let of_a = (0.5 * (apart + (sums[a] - sums[b]) / others)).clamp(0.0, apart);
        let hidden = graph.add_hidden();
        graph.join(nodes[a], hidden, of_a);
        graph.join(nodes[b], hidden, apart - of_a);
        active.retain(|&place| place != b);
        let mut sum = 0.0;
        for &k in active.iter().filter(|&&k| k != a) {
            let length = (0.5 * (between[a][k] + between[b][k] - apart)).max(0.0);
            sums[k] += length - (between[a][k] + between[b][k]);
            between[a][k] = length;
            between[k][a] = length;
            sum += length;
        }
        sums[a] = sum;
        nodes[a] = hidden;
    }
    match active[..] {
        [a, b, c] => {
            let hidden = graph.add_hidden();
            for (own, one, other) in [(a, b, c), (b, a, c), (c, a, b)] {
                let length = 0.5 * (between[own][one] + between[own][other] - between[one][other]);
                graph.join(nodes[own], hidden, length.max(0.0));
            }
        }
        [a, b] => graph.join(nodes[a], nodes[b], between[a][b]),
        _ => {}
    }
    graph.contract(members, contraction);
    Ok(graph)
}
