//! Recursive grouping: nodes that have the same differences of distances to all others are siblings, or child and
//! parent; siblings get a hidden parent, and the parents are grouped in turn.

use base::words;
use contract::{Context, Result};
use math::random::Random;
use math::special::ln;

use super::distances::{Distances, FAR};
use super::graph::Graph;

/// Pairs farther than this are never taken for relatives, if distances are estimated: -2 ln 0.1.
const UNRELATED: f64 = 4.605_170_185_988_091;
/// Estimated distances of hidden nodes are at least this: -ln 0.95.
pub const LEAST: f64 = 0.051_293_294_387_550_58;
/// Starts of k-medoids for each number of families, of which the last are random.
const STARTS: usize = 4;
const RANDOM_STARTS: usize = 2;
/// Most passes of k-medoids.
const PASSES: usize = 5;
/// What differences of exact distances may differ by, relative to the largest distance.
const ROUNDING: f64 = 1e-9;

words! {
    /// How relatives become families.
    pub enum Families {
        /// Each Φ is compared with its standard error, and complete linkage joins what deviates no more than by chance.
        Noise = "noise", "complete linkage of the largest deviations of Φ in standard errors, as far as `spread`";
        /// Every level of complete linkage is tried.
        Silhouette = "silhouette", "the level of complete linkage of the spreads of Φ with the largest mean silhouette";
        /// As the authors' programme.
        Medoids = "k-medoids", "k-medoids of the spreads of Φ for every k, of four starts, two of them random, the one with the \
                               largest mean silhouette";
    }
}

/// How nodes are grouped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// How relatives become families.
    pub families: Families,
    /// Factor on √(2 ln N), the standard errors that a Φ of relatives may be off by; of [`Families::Noise`]. A normal
    /// error is larger than that with a probability below 1 / N, and the limit itself, times a standard error, goes to 0
    /// with N: so grouping is consistent.
    pub spread: f64,
    /// A member nearer than this to the parent of its family is that parent.
    pub contraction: f64,
}

/// What the differences Φ_ijk = d_ik - d_jk over the witnesses k say of a pair i, j.
#[derive(Debug, Clone, Copy)]
struct Relation {
    /// Their range; infinite if the pair is too far apart to be related.
    spread: f64,
    /// Their mean.
    mean: f64,
    /// How far one lies from the mean that weighs each by its certainty, in standard errors, at most.
    deviation: f64,
}

/// A symmetric matrix of relations by active nodes; Φ_jik = -Φ_ijk.
struct Relations<'a> {
    nodes: usize,
    /// The distances between them.
    near: Distances,
    of: Vec<Relation>,
    /// What differences of exact distances may differ by.
    rounding: f64,
    context: &'a Context,
}

impl<'a> Relations<'a> {
    /// O(m³) for m active nodes.
    fn new(near: Distances, context: &'a Context) -> Result<Self> {
        let m = near.nodes();
        let exact = near.samples.is_infinite();
        let most =
            (0..m).flat_map(|a| near.row(a)).fold(0.0, |most: f64, to| most.max(to.distance));
        let rounding = ROUNDING * (1.0 + most);
        let first_reach =
            if exact || m <= 5 { f64::INFINITY } else { -ln(0.05) + 0.1 * ln(near.samples) };
        let relation = |i: usize, j: usize| {
            if !exact && near.of(i, j) > UNRELATED {
                return Relation { spread: f64::INFINITY, mean: 0.0, deviation: f64::INFINITY };
            }
            let farthest = |k: usize| near.of(i, k).max(near.of(j, k));
            let others = || (0..m).filter(|&k| k != i && k != j);
            let mut reach = first_reach;
            while others().filter(|&k| farthest(k) < reach).count() < others().count().min(6) {
                reach += std::f64::consts::LN_2;
            }
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            let (mut sum, mut count, mut weighted, mut weights) = (0.0, 0.0, 0.0, 0.0);
            let witnesses = || others().filter(|&k| farthest(k) < reach);
            let difference = |k: usize| near.of(i, k) - near.of(j, k);
            let weight = |k: usize| {
                let error = (near.variance(i, k) + near.variance(j, k)).sqrt() + rounding;
                1.0 / (error * error)
            };
            for k in witnesses() {
                let (difference, weight) = (difference(k), weight(k));
                low = low.min(difference);
                high = high.max(difference);
                sum += difference;
                count += 1.0;
                weighted += weight * difference;
                weights += weight;
            }
            let centre = weighted / weights;
            let deviation = witnesses().fold(0.0, |most: f64, k| {
                let off = difference(k) - centre;
                most.max(off.abs() * weight(k).sqrt())
            });
            Relation { spread: high - low, mean: sum / count, deviation }
        };
        let none = Relation { spread: 0.0, mean: 0.0, deviation: 0.0 };
        let row = |i: usize| {
            Ok((0..m).map(|j| if i < j { relation(i, j) } else { none }).collect::<Vec<Relation>>())
        };
        let of = context.each(m, 8, row)?.concat();
        Ok(Self { nodes: m, near, of, rounding, context })
    }

    fn pair(&self, i: usize, j: usize) -> &Relation {
        &self.of[i.min(j) * self.nodes + i.max(j)]
    }

    fn spread(&self, i: usize, j: usize) -> f64 {
        if i == j { 0.0 } else { self.pair(i, j).spread }
    }

    /// The mean of Φ_ijk.
    fn mean(&self, i: usize, j: usize) -> f64 {
        let mean = self.pair(i, j).mean;
        if i < j { mean } else { -mean }
    }

    fn is_exact(&self) -> bool {
        self.near.samples.is_infinite()
    }

    /// The estimated distance of each member to the parent of its family: (d_ij + Φ_ijk) / 2, averaged over k and j. None if
    /// it has one member.
    fn to_parent(&self, family: &[usize]) -> Option<Vec<f64>> {
        if family.len() < 2 {
            return None;
        }
        let of_member = |&i: &usize| {
            let others = family.iter().filter(|&&j| j != i);
            let sum: f64 = others.map(|&j| 0.5 * (self.near.of(i, j) + self.mean(i, j))).sum();
            sum / (family.len() - 1) as f64
        };
        Some(family.iter().map(of_member).collect())
    }

    /// The families of active nodes, by their places; each in ascending order, in the order of their first members. At
    /// least one has two members.
    fn families(&self, settings: &Settings, random: &mut Random) -> Result<Vec<Vec<usize>>> {
        let m = self.nodes;
        let mut found = match settings.families {
            Families::Noise => {
                let chance =
                    if self.is_exact() { 1.0 } else { (2.0 * ln(self.near.samples)).sqrt() };
                let limit = settings.spread * chance;
                let mut linkage = Linkage::new(m, |i, j| self.pair(i, j).deviation);
                while linkage.merge(limit) {
                    self.context.check()?;
                }
                linkage.clusters
            }
            Families::Silhouette => self.best(self.by_silhouette()?)?,
            Families::Medoids => self.best(self.by_medoids(random)?)?,
        };
        if found.len() == m {
            // Somebody must be related: the pair with the least spread.
            let pairs = (0..m).flat_map(|i| (i + 1..m).map(move |j| (i, j)));
            let (i, j) = pairs
                .min_by(|&(a, b), &(c, d)| self.spread(a, b).total_cmp(&self.spread(c, d)))
                .expect("there are two nodes");
            found.retain(|family| family[0] != j);
            found[i].push(j);
        }
        found.iter_mut().for_each(|family| family.sort_unstable());
        found.sort_unstable();
        Ok(found)
    }

    /// The mean silhouette of clusters over the members of those that have two or more: (b - a) / max(a, b), a being the
    /// mean spread to the own cluster and b the least one to another. None if all are alone.
    fn silhouette(&self, clusters: &[Vec<usize>]) -> Option<f64> {
        let mut of = vec![0; self.nodes];
        for (cluster, members) in clusters.iter().enumerate() {
            members.iter().for_each(|&member| of[member] = cluster);
        }
        let (mut sum, mut count) = (0.0, 0.0);
        for members in clusters.iter().filter(|members| members.len() > 1) {
            for &i in members {
                let own: f64 = members.iter().map(|&j| capped(self.spread(i, j))).sum();
                let own = own / (members.len() - 1) as f64;
                let others = (0..self.nodes).filter(|&j| of[j] != of[i]);
                let other = others.fold(f64::INFINITY, |least, j| least.min(self.spread(i, j)));
                let other = capped(other);
                let most = own.max(other);
                sum += if most > self.rounding { (other - own) / most } else { 0.0 };
                count += 1.0;
            }
        }
        (count > 0.0).then(|| sum / count)
    }

    /// The families of the largest mean silhouette, if it is large enough: with a lower one than some least one all are
    /// one family.
    fn best(&self, found: Option<(f64, Vec<Vec<usize>>)>) -> Result<Vec<Vec<usize>>> {
        let pairs = (0..self.nodes).flat_map(|i| (0..i).map(move |j| (i, j)));
        let most = pairs.map(|(i, j)| capped(self.spread(i, j))).fold(0.0, f64::max);
        let exact = self.is_exact();
        let least = if exact { 0.5 } else { std::f64::consts::LN_2 / most.max(self.rounding) };
        match found {
            Some((value, clusters)) if value >= least => Ok(clusters),
            _ => self.together(),
        }
    }

    /// The level of complete linkage with the largest mean silhouette, and that.
    fn by_silhouette(&self) -> Result<Option<(f64, Vec<Vec<usize>>)>> {
        let m = self.nodes;
        let mut linkage = Linkage::new(m, |i, j| self.spread(i, j));
        let mut best: Option<(f64, Vec<Vec<usize>>)> = None;
        while linkage.clusters.len() > 2 && linkage.merge(f64::MAX) {
            self.context.check()?;
            if let Some(value) = self.silhouette(&linkage.clusters)
                && best.as_ref().is_none_or(|(most, _)| value >= most - ROUNDING)
            {
                best = Some((value, linkage.clusters.clone()));
            }
        }
        Ok(best)
    }

    /// All in one family, but for those that can't be related to any of the others in it.
    fn together(&self) -> Result<Vec<Vec<usize>>> {
        let mut linkage = Linkage::new(self.nodes, |i, j| {
            if self.spread(i, j).is_finite() { 0.0 } else { f64::INFINITY }
        });
        while linkage.merge(f64::MAX) {
            self.context.check()?;
        }
        Ok(linkage.clusters)
    }

    /// The clusters around medoids with the largest mean silhouette, and that.
    fn by_medoids(&self, random: &mut Random) -> Result<Option<(f64, Vec<Vec<usize>>)>> {
        let m = self.nodes;
        // The nodes by the least spread to another one, the largest first.
        let least = |i: usize| {
            let others = (0..m).filter(|&j| j != i);
            others.fold(f64::INFINITY, |least, j| least.min(self.spread(i, j)))
        };
        let mut lonely: Vec<usize> = (0..m).collect();
        let least: Vec<f64> = (0..m).map(least).collect();
        lonely.sort_by(|&a, &b| least[b].total_cmp(&least[a]));
        let mut best: Option<(f64, Vec<Vec<usize>>)> = None;
        for k in 2..m {
            for start in 0..STARTS {
                self.context.check()?;
                let medoids: Vec<usize> = match start {
                    0 => lonely[..k].to_vec(),
                    1 => lonely[..k - 1].iter().chain(lonely.last()).copied().collect(),
                    _ => {
                        debug_assert!(start >= STARTS - RANDOM_STARTS);
                        random.permutation(m)[..k].to_vec()
                    }
                };
                let clusters = medoid_clusters(self, medoids);
                if let Some(value) = self.silhouette(&clusters)
                    && best.as_ref().is_none_or(|(most, _)| value > *most)
                {
                    best = Some((value, clusters));
                }
            }
        }
        Ok(best)
    }
}

/// The latent tree of the distances between some nodes, all of which are observed in the tree that comes back. It has
/// hidden nodes with at least three neighbours. Of equal choices the one with the lower numbers is taken.
///
/// Nodes at distance zero are joined directly: one of them is the parent. Time O(m³) a round and at most m rounds, of
/// which few are usual.
///
/// # Errors
/// If the deadline passes or the user interrupts.
pub fn group(
    mut distances: Distances,
    settings: &Settings,
    random: &mut Random,
    context: &Context,
) -> Result<Graph> {
    let members = distances.nodes();
    let mut graph = Graph::new(members);
    let mut active: Vec<usize> = (0..members).collect();
    while active.len() > 2 {
        context.check()?;
        let relations = Relations::new(distances.among(&active), context)?;
        let families = relations.families(settings, random)?;
        let mut next = Vec::new();
        // Families with new parents: the parent, and the children with their distances to it.
        let mut hidden: Vec<(usize, Vec<(usize, f64)>)> = Vec::new();
        for family in families {
            let Some(to_parent) = relations.to_parent(&family) else {
                next.push(active[family[0]]);
                continue;
            };
            let nearest = (0..family.len())
                .min_by(|&a, &b| to_parent[a].total_cmp(&to_parent[b]))
                .expect("a family has members");
            if to_parent[nearest] < settings.contraction {
                let parent = active[family[nearest]];
                for child in family.iter().map(|&place| active[place]) {
                    if child != parent {
                        graph.join(child, parent, distances.of(child, parent));
                    }
                }
                next.push(parent);
            } else {
                let parent = graph.add_hidden();
                let children: Vec<(usize, f64)> = family
                    .iter()
                    .zip(&to_parent)
                    .map(|(&place, &length)| (active[place], length.max(LEAST)))
                    .collect();
                children.iter().for_each(|&(child, length)| graph.join(child, parent, length));
                hidden.push((parent, children));
                next.push(parent);
            }
        }
        for (parent, children) in &hidden {
            let row = from_parent(*parent, children, &hidden, &distances);
            let nearest = children.iter().min_by(|(_, a), (_, b)| a.total_cmp(b));
            let (nearest, _) = *nearest.expect("a family has members");
            distances.push_near(nearest, &row);
        }
        next.sort_unstable();
        active = next;
    }
    if let [a, b] = active[..] {
        graph.join(a, b, distances.of(a, b));
    }
    graph.suppress(members);
    Ok(graph)
}

/// The distances of a new parent to all nodes before it.
fn from_parent(
    parent: usize,
    children: &[(usize, f64)],
    hidden: &[(usize, Vec<(usize, f64)>)],
    distances: &Distances,
) -> Vec<f64> {
    let others = |node: usize| hidden.iter().find(|(other, _)| *other == node);
    (0..parent)
        .map(|node| {
            if let Some((_, length)) = children.iter().find(|(child, _)| *child == node) {
                return *length;
            }
            let (mut sum, mut count) = (0.0, 0.0);
            let own = [(node, 0.0)];
            let theirs = others(node).map_or(&own[..], |(_, theirs)| theirs);
            for (i, to_parent) in children {
                for (j, to_other) in theirs {
                    sum += distances.of(*i, *j) - to_parent - to_other;
                    count += 1.0;
                }
            }
            f64::clamp(sum / count, LEAST, FAR)
        })
        .collect()
}

/// Complete linkage: the two nearest clusters are merged, whose distance is that of their farthest members.
struct Linkage {
    clusters: Vec<Vec<usize>>,
    /// By the first members of clusters.
    heights: Vec<Vec<f64>>,
}

impl Linkage {
    fn new(m: usize, height: impl Fn(usize, usize) -> f64) -> Self {
        let of = |i, j| if i == j { 0.0 } else { height(i, j) };
        let heights = (0..m).map(|i| (0..m).map(|j| of(i, j)).collect()).collect();
        Self { clusters: (0..m).map(|i| vec![i]).collect(), heights }
    }

    /// Merges the two nearest clusters if they are at most `most` apart.
    fn merge(&mut self, most: f64) -> bool {
        let mut nearest: Option<(f64, usize, usize)> = None;
        for (a, one) in self.clusters.iter().enumerate() {
            for (b, other) in self.clusters.iter().enumerate().skip(a + 1) {
                let height = self.heights[one[0]][other[0]];
                if height <= most && nearest.is_none_or(|(least, ..)| height < least) {
                    nearest = Some((height, a, b));
                }
            }
        }
        let Some((_, a, b)) = nearest else { return false };
        let other = self.clusters.remove(b);
        let (kept, gone) = (self.clusters[a][0], other[0]);
        for cluster in &self.clusters {
            let at = cluster[0];
            let height = self.heights[kept][at].max(self.heights[gone][at]);
            self.heights[kept][at] = height;
            self.heights[at][kept] = height;
        }
        self.clusters[a].extend(other);
        true
    }
}

/// The spread of pairs that can't be related counts as that of unrelated ones.
fn capped(spread: f64) -> f64 {
    spread.min(10.0)
}

/// Clusters around medoids; a medoid is the member whose farthest member is nearest.
fn medoid_clusters(relations: &Relations<'_>, mut medoids: Vec<usize>) -> Vec<Vec<usize>> {
    let mut clusters = Vec::new();
    for _ in 0..PASSES {
        clusters = medoids.iter().map(|&medoid| vec![medoid]).collect::<Vec<Vec<usize>>>();
        for node in (0..relations.nodes).filter(|node| !medoids.contains(node)) {
            let nearest = (0..medoids.len())
                .min_by(|&a, &b| {
                    let to = |cluster: usize| relations.spread(node, medoids[cluster]);
                    to(a).total_cmp(&to(b))
                })
                .expect("there are medoids");
            clusters[nearest].push(node);
        }
        let centre = |members: &Vec<usize>| {
            let radius = |&i: &usize| {
                members.iter().fold(0.0, |most: f64, &j| most.max(relations.spread(i, j)))
            };
            let by_radius = |a: &&usize, b: &&usize| radius(a).total_cmp(&radius(b));
            members.iter().min_by(by_radius).copied().unwrap_or(members[0])
        };
        let next: Vec<usize> = clusters.iter().map(centre).collect();
        if next == medoids {
            break;
        }
        medoids = next;
    }
    // Who can't be related to the medoid stays alone.
    let mut apart = Vec::new();
    for members in &mut clusters {
        let medoid = members[0];
        let strangers =
            members.extract_if(1.., |node| relations.spread(medoid, *node).is_infinite());
        apart.extend(strangers.map(|node| vec![node]));
    }
    clusters.extend(apart);
    clusters
}
